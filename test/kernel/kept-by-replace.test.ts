import { describe, expect, test } from '@jest/globals';
import { isWritable } from '../../src/kernel/declare/attribute.js';
import { checkInput } from '../../src/kernel/write/check-input.js';
import { catalog } from '../../src/resources/index.js';

/** Members that a replacement leaves as they are, because clients write entities back without them. */

const { Identity, ServicePolicy, Directory } = catalog.resources;

const replaced = (input: object): object =>
  checkInput(Identity, 'replace', { name: 'ada', type: 'Default', isAdmin: false, ...input });

describe('a replacement', () => {
  test('leaves a member that it does not name', () => {
    expect(replaced({})).not.toHaveProperty('validUntil');
  });

  test('takes one away by null, and stores another value', () => {
    expect(replaced({ validUntil: null })).toHaveProperty('validUntil', null);
    const validUntil = '2999-01-01T00:00:00Z';
    expect(replaced({ validUntil })).toHaveProperty('validUntil', new Date(validUntil));
  });

  test('gives others their defaults', () => {
    expect(replaced({})).toHaveProperty('roleAttributes', []);
    const policy = { name: 'p', type: 'Dial', semantic: 'AnyOf' };
    expect(checkInput(ServicePolicy, 'replace', policy)).not.toHaveProperty('weeklyWindows');
    expect(checkInput(ServicePolicy, 'create', policy)).toHaveProperty('weeklyWindows', []);
    const directory = { name: 'corp', roleAttributePrefix: 'corp:' };
    expect(checkInput(Directory, 'create', directory)).toHaveProperty(
      'newIdentitiesArePending',
      false,
    );
  });
});

/** Kept by checks of their resource, which look at several members together. */
const BY_A_CHECK = [
  /^CertificateAuthority\.(bundleEndpoint|trustedForManagement)$/,
  /^ExternalJwtSigner\.trustedForManagement$/,
];

test('every member that REST bodies lack is kept', () => {
  const dropped = [...catalog.all()].flatMap(({ name, attributes }) =>
    [...attributes.values()]
      .filter((a) => a.graphOnly === true && isWritable(a, 'replace') && !a.keptByReplace)
      .map((a) => `${name}.${a.name}`)
      .filter((member) => !BY_A_CHECK.some((checked) => checked.test(member))),
  );
  expect(dropped).toStrictEqual([]);
});

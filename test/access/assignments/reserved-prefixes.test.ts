import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ApiError } from '../../../src/base/errors.js';
import type { Row } from '../../../src/base/row.js';
import { certificatePem } from '../../rest/support/certificates.js';
import { InProcess, type GraphAnswer } from '../../support/in-process.js';
import { imported } from '../../inventory/transfer/transfers.js';
import { newDirectory } from '../directories/new-directory.js';

/** Role attributes with the prefix of a source are written by this source alone. */

let controller: InProcess;
let prefix: string;
let directoryName: string;
let count = 0;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());
beforeEach(async () => {
  ({ prefix, name: directoryName } = await newDirectory(controller));
});

const newIdentity = (input: Row = {}): Promise<string> => {
  count += 1;
  const name = `person ${String(count)}`;
  return controller.create('Identity', { name, type: 'Default', isAdmin: false, ...input });
};

const refusal = (field: string, value: unknown): Row => ({
  code: 'COULD_NOT_VALIDATE',
  detail: {
    kind: 'field',
    field,
    reason: `${prefix} is reserved for the directory ${directoryName}`,
    value,
  },
});

const errorOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? { code: error.code, detail: error.detail } : error;
  }
};

const run = (text: string, variables: Row): Promise<GraphAnswer> =>
  controller.graph(text, variables);

/** The ways in which people give an identity a role attribute. */
const WAYS: Readonly<Record<string, (id: string, attribute: string) => Promise<GraphAnswer>>> = {
  update: (id, attribute) =>
    run(
      `mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }`,
      {
        id,
        input: { roleAttributes: ['desk', attribute] },
      },
    ),
  replace: (id, attribute) =>
    run(
      `mutation ($id: ID!, $input: ReplaceIdentityInput!) { replaceIdentity(id: $id, input: $input) { id } }`,
      {
        id,
        input: {
          name: `replaced ${id}`,
          type: 'Default',
          isAdmin: false,
          roleAttributes: [attribute],
        },
      },
    ),
  'addition of attributes': (id, attribute) =>
    run(
      `mutation ($id: ID!, $add: [String!]!) { addIdentityRoleAttributes(id: $id, roleAttributes: $add) { id } }`,
      {
        id,
        add: [attribute],
      },
    ),
  draft: (id, attribute) =>
    run(`mutation ($changes: [ModelChangeInput!]!) { applyChanges(changes: $changes) { type } }`, {
      changes: [
        { operation: 'update', type: 'identity', id, input: { roleAttributes: [attribute] } },
      ],
    }),
};

describe('a reserved prefix', () => {
  test.each(Object.keys(WAYS))('is refused in role attributes of an identity: %s', async (way) => {
    const id = await newIdentity();
    const attribute = `${prefix}staff`;
    const { errors } = (await WAYS[way]?.(id, attribute)) ?? {};
    expect(errors).toMatchObject([refusal('roleAttributes', attribute)]);
  });

  test('is refused in a new identity, in an authority and in an assignment by hand', async () => {
    const attribute = `${prefix}staff`;
    expect(await errorOf(newIdentity({ roleAttributes: [attribute] }))).toMatchObject(
      refusal('roleAttributes', attribute),
    );
    const assigned = controller.create('RoleAssignment', {
      identityId: await newIdentity(),
      roleAttribute: attribute,
    });
    expect(await errorOf(assigned)).toMatchObject(refusal('roleAttribute', attribute));
    const authority = controller.create('CertificateAuthority', {
      name: `authority ${prefix}`,
      certPem: await certificatePem('authority'),
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
      identityRoles: [attribute],
    });
    expect(await errorOf(authority)).toMatchObject(refusal('identityRoles', attribute));
  });

  test('is refused in an import', async () => {
    const identity = { name: `imported ${prefix}`, typeId: 'Default', isAdmin: false };
    const document = { identities: [{ ...identity, roleAttributes: [`${prefix}staff`] }] };
    const outcome = await imported(controller, document).catch((error: unknown) => error);
    expect(JSON.stringify(outcome) + String(outcome)).toContain(`reserved for the directory`);
    const { identities } = await controller.read<{ identities: { totalCount: number } }>(
      `{ identities(filter: "name = \\"imported ${prefix}\\"") { totalCount } }`,
    );
    expect(identities.totalCount).toBe(0);
  });

  test('is free in policies, and in role attributes of services', async () => {
    await controller.create('Service', {
      name: `service ${prefix}`,
      encryptionRequired: true,
      roleAttributes: [`${prefix}staff`],
    });
    await controller.create('ServicePolicy', {
      name: `policy ${prefix}`,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`#${prefix}staff`],
      serviceRoles: ['#all'],
    });
  });

  test('does not concern attributes that only resemble it', async () => {
    const roleAttributes = [prefix.slice(0, -1), `x${prefix}staff`, `other:${prefix}`];
    await newIdentity({ roleAttributes });
  });

  test('is refused among more prefixes than a statement has parameters', async () => {
    const others = Array.from({ length: 33_000 }, (_, i) => `many${String(i)}:x`);
    await newIdentity({ roleAttributes: others });
    const attribute = `${prefix}staff`;
    const identity = newIdentity({ roleAttributes: [...others, attribute] });
    expect(await errorOf(identity)).toMatchObject(refusal('roleAttributes', attribute));
  });
});

describe('a directory', () => {
  const create = (roleAttributePrefix: string): Promise<unknown> =>
    errorOf(
      controller.create('Directory', { name: `late ${String((count += 1))}`, roleAttributePrefix }),
    );

  test('is refused while its prefix is in use, with the number of uses', async () => {
    await newIdentity({ roleAttributes: ['hr:staff', 'hr:boss'] });
    const identityId = await newIdentity({ roleAttributes: ['hr'] });
    await controller.create('RoleAssignment', { identityId, roleAttribute: 'hr:guest' });
    expect(await create('hr:')).toMatchObject({
      detail: { field: 'roleAttributePrefix', reason: expect.stringMatching(/^2 /) },
    });
    expect(await create('h:')).toBeUndefined();
  });

  test('is refused with the prefix of another, or one of another form', async () => {
    expect(await create(prefix)).toMatchObject({
      detail: { reason: `is reserved for the directory ${directoryName}` },
    });
    for (const text of ['idp', ':x', 'a:b:', '-a:', ' a:', 'ä:']) {
      expect(await create(text)).toMatchObject({ code: 'COULD_NOT_VALIDATE' });
    }
  });

  test('is not created at the same time as a use of its prefix', async () => {
    for (let i = 0; i < 10; i += 1) {
      const both = [
        create(`race${String(i)}:`),
        errorOf(newIdentity({ roleAttributes: [`race${String(i)}:x`] })),
      ];
      const refused = (await Promise.all(both)).filter((error) => error !== undefined);
      expect(refused).toHaveLength(1);
    }
  });
});

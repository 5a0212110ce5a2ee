import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../../../src/base/row.js';
import { entityChangeEvents } from '../../../src/network/events/index.js';
import { entityLayout, storedForm } from '../../../src/network/events/entity-layouts.js';
import { storedAttributes, type Resource } from '../../../src/kernel/declare/resource.js';
import { catalog } from '../../../src/resources/index.js';
import { changeOf } from './support.js';

/** Every resource of the catalog has its stored form in events. */

const resources = catalog.stored();
const withLayout = resources.filter(({ name }) => entityLayout(catalog, name) !== undefined);

/** Attributes that REST shows, and that the layouts of the field do not have. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  Authenticator: [
    'unverifiedFingerprint',
    'unverifiedCertPem',
    'isExtendRequested',
    'isKeyRollRequested',
    'extendRequestedAt',
    'lastExtendRolledKeys',
    'lastAuthResolvedToRoot',
  ],
  CertificateAuthority: ['verificationToken'],
  ConfigType: ['target'],
  Controller: ['apiAddresses', 'lastJoinedAt'],
  EdgeRouter: ['configs'],
  ExternalJwtSigner: [
    'conditions',
    'roleAttributeClaims',
    'roleAttributePrefix',
    'roleAttributeMinutes',
    'createsIdentities',
    'newIdentitiesArePending',
    'maxCreatedIdentities',
    'adminClaims',
    'idleDaysBeforeDeletion',
  ],
  Identity: ['isMfaEnabled', 'isPending', 'validFrom', 'validUntil'],
  PostureCheckType: ['version'],
  TransitRouter: ['configs'],
};

/** Attributes that REST does not show, and that the layouts of the field have beside `isSystem`. */
const BESIDE_REST: Readonly<Record<string, readonly string[]>> = {
  ApiSessionCertificate: ['apiSessionId'],
  Identity: ['assignedRoleAttributes'],
  Revocation: ['issuedBefore'],
  Terminator: ['hostId', 'sourceCtrl'],
};

/** A state whose readers are noted. */
function watched(state: JsonObject): { readonly state: JsonObject; readonly read: Set<string> } {
  const read = new Set<string>();
  const proxy = new Proxy(state, {
    get: (target, name) => {
      read.add(String(name));
      return target[String(name)];
    },
  });
  return { state: proxy, read };
}

const isSecret = ({
  name,
  secret,
  unlogged,
}: {
  name: string;
  secret?: unknown;
  unlogged?: unknown;
}) => secret !== undefined || unlogged === true || name === 'verificationToken';

const stateOf = ({ attributes }: Resource, isWanted: typeof isSecret): JsonObject =>
  Object.fromEntries(
    [...attributes.values()].filter(isWanted).map(({ name }) => [name, `secret of ${name}`]),
  );

describe('events of entities', () => {
  test('leave out records alone', () => {
    const without = resources.filter(({ name }) => entityLayout(catalog, name) === undefined);
    expect(without.map(({ name }) => name).sort()).toStrictEqual(['Change', 'Circuit', 'Link']);
  });

  test.each([
    [
      'AccessReview',
      'accessReviews',
      ['name', 'description', 'type', 'identityFilter', 'serviceFilter', 'state', 'finishedAt'],
      ['finishedById', 'usesRecordedSince', 'lineCount', 'keepCount', 'revokeCount'],
    ],
    [
      'AccessRule',
      'accessRules',
      ['name', 'kind', 'type', 'semantic', 'identityRoles', 'serviceRoles'],
      [],
    ],
    ['FindingMute', 'findingMutes', ['findingId', 'reason', 'mutedUntil', 'mutedById'], []],
  ])(
    'of %s, which the field does not have, follow from its declaration',
    (name, type, ...parts) => {
      expect(entityLayout(catalog, name)).toStrictEqual({ type, members: parts.flat() });
    },
  );

  test.each(withLayout.map((resource) => [resource.name, resource] as const))(
    'show every attribute of %s that the field knows',
    (name, resource) => {
      const layout = entityLayout(catalog, name);
      if (!layout) throw new Error(`${name} has no layout`);
      const logged = storedAttributes(resource).filter(({ unlogged }) => unlogged !== true);
      const values = Object.fromEntries(logged.map((attribute) => [attribute.name, 'value']));
      const methods = name === 'Authenticator' ? ['cert', 'updb'] : ['value'];
      const read = methods.flatMap((method) => {
        const { state, read: names } = watched({ ...values, method });
        storedForm(layout, state);
        return [...names];
      });
      const namesOf = (isOurs: boolean): string[] =>
        logged.filter(({ graphOnly = false }) => graphOnly === isOurs).map((each) => each.name);
      expect(namesOf(false).filter((each) => !read.includes(each))).toStrictEqual(OURS[name] ?? []);
      expect(
        namesOf(true)
          .filter((each) => read.includes(each))
          .sort(),
      ).toStrictEqual(
        namesOf(true)
          .filter((each) => each === 'isSystem' || BESIDE_REST[name]?.includes(each))
          .sort(),
      );
    },
  );

  test.each([...catalog.all()].map((resource) => [resource.name, resource] as const))(
    'show no secret of %s, even if the change log held it',
    (name, resource) => {
      const state = stateOf(resource, isSecret);
      for (const method of ['cert', 'updb']) {
        const change = changeOf({
          resource: name,
          operation: 'update',
          before: { ...state, method },
          after: { ...state, method },
        });
        expect(JSON.stringify(entityChangeEvents(change, { catalog, version: '' }))).not.toContain(
          'secret of',
        );
      }
    },
  );

  test('have secrets to leave out', () => {
    const count = [...catalog.all()].flatMap((resource) =>
      Object.keys(stateOf(resource, isSecret)),
    );
    expect(count).toEqual(
      expect.arrayContaining(['token', 'jwt', 'passwordHash', 'identitySecret']),
    );
  });
});

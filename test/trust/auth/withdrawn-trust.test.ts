import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { originOf } from '../../../src/kernel/write/write.js';
import { remove, update } from '../../access/enforcement/dialling.js';
import { InProcess } from '../../support/in-process.js';
import { bearing, newOwnKeys, showing, type OwnKeys } from './intruder.js';
import { inSession } from './in-process-logins.js';

/* What a signer or an authority has vouched for ends with its trust, also in the middle of a login. */

let controller: InProcess;
let count = 0;
const next = (): string => `withdrawn-${String((count += 1))}`;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const CLAIM = { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE', index: 0 };

type Kind = 'ExternalJwtSigner' | 'CertificateAuthority';

interface Voucher {
  readonly kind: Kind;
  readonly id: string;
  readonly logIn: (externalId: string) => Promise<RequestContext['credentials']>;
  readonly method: 'ext-jwt' | 'cert';
}

const newVoucher: Readonly<Record<Kind, (keys: OwnKeys) => Promise<Voucher>>> = {
  ExternalJwtSigner: async ({ signer }) => ({
    kind: 'ExternalJwtSigner',
    id: await controller.create('ExternalJwtSigner', { ...signer.settings, useExternalId: true }),
    logIn: async (externalId) => bearing(await signer.jwt(externalId)),
    method: 'ext-jwt',
  }),
  CertificateAuthority: async (keys) => {
    const id = await controller.create('CertificateAuthority', {
      name: next(),
      certPem: keys.authority.cert.toString(),
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: false,
      isOttCaEnrollmentEnabled: false,
      identityRoles: [],
      externalIdClaim: CLAIM,
    });
    await controller.parts.store.query(
      sql`update certificate_authority set is_verified = true where id = ${id}::text`,
    );
    return {
      kind: 'CertificateAuthority',
      id,
      logIn: (externalId) => showing(keys, externalId),
      method: 'cert',
    };
  },
};

async function newIdentity(rights: Row = {}): Promise<{ id: string; externalId: string }> {
  const externalId = next();
  const input = { name: externalId, type: 'Default', isAdmin: false, externalId, ...rights };
  return { id: await controller.create('Identity', input), externalId };
}

const LOGIN = `mutation ($method: String!) { authenticate(method: $method, input: {}) { token } }`;

/** The token of a session of a new identity; undefined if the login is refused. */
async function sessionBy(voucher: Voucher, rights: Row = {}): Promise<string | undefined> {
  const { externalId } = await newIdentity(rights);
  const credentials = await voucher.logIn(externalId);
  const ctx = controller.parts.contexts.make('127.0.0.1', undefined, { credentials });
  const { data } = await controller.graph(LOGIN, { method: voucher.method }, ctx);
  return (data?.authenticate as { token: string } | null | undefined)?.token;
}

const lives = async (token: string | undefined): Promise<boolean> =>
  (await inSession(controller, String(token))).caller !== undefined;

/** The changes that withdraw trust, and which sessions live on: of users, and of administrators. */
const CHANGES: readonly (readonly [Kind, Row | 'delete', { users: boolean; admins: boolean }])[] = [
  ['ExternalJwtSigner', 'delete', { users: false, admins: false }],
  ['ExternalJwtSigner', { enabled: false }, { users: false, admins: false }],
  ['ExternalJwtSigner', { trustedForManagement: false }, { users: true, admins: false }],
  ['ExternalJwtSigner', { scopes: ['openid'] }, { users: true, admins: true }],
  ['CertificateAuthority', 'delete', { users: false, admins: false }],
  ['CertificateAuthority', { isAuthEnabled: false }, { users: false, admins: false }],
  ['CertificateAuthority', { trustedForManagement: false }, { users: true, admins: false }],
  ['CertificateAuthority', { identityRoles: ['x'] }, { users: true, admins: true }],
];

async function change({ kind, id }: Voucher, input: Row | 'delete'): Promise<void> {
  if (input === 'delete') await remove(controller, kind, id);
  else await update(controller, kind, id, input);
}

describe.each(CHANGES)('of %s, %j', (kind, input, expected) => {
  test(`leaves ${JSON.stringify(expected)}`, async () => {
    const voucher = await newVoucher[kind](await newOwnKeys(next()));
    const [user, admin, reader] = await Promise.all([
      sessionBy(voucher),
      sessionBy(voucher, { isAdmin: true }),
      sessionBy(voucher, { permissions: ['config.read'] }),
    ]);
    const all = () => Promise.all([user, admin, reader].map(lives));
    expect(await all()).toEqual([true, true, true]);
    await change(voucher, input);
    expect(await all()).toEqual([expected.users, expected.admins, expected.admins]);
  });

  test('counts also for a login whose proof was checked before', async () => {
    const voucher = await newVoucher[kind](await newOwnKeys(next()));
    const isSigner = kind === 'ExternalJwtSigner';
    const proof = isSigner
      ? { authenticatorId: `extJwtId:${voucher.id}` }
      : { authenticatorId: 'internal', caId: voucher.id };
    await change(voucher, input);
    const open = async (rights: Row): Promise<boolean> => {
      const { id: identityId } = await newIdentity(rights);
      const { sessions, store } = controller.parts;
      const opening = sessions.create(store, originOf(controller.anonymous()), {
        ...{ identityId, ...proof, ipAddress: '127.0.0.1', configTypes: [] },
        ...{ isCertExtendable: false, improperClientCertChain: false },
      });
      return opening.then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ code: 'INVALID_AUTH' });
          return false;
        },
      );
    };
    expect(await open({})).toBe(expected.users);
    expect(await open({ isAdmin: true })).toBe(expected.admins);
  });
});

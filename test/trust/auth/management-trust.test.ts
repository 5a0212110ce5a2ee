import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import type { Row } from '../../../src/base/row.js';
import { callerOf, InProcess } from '../../support/in-process.js';
import { authPolicy } from './client.js';
import { bearing, newOwnKeys, showing, type OwnKeys } from './intruder.js';
import { inSession } from './in-process-logins.js';

/** What vouches for whom: signers and authorities, by who has written them. */

let controller: InProcess;
let count = 0;
const next = (): string => `trust-${String((count += 1))}`;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const writer = (): RequestContext =>
  controller.ctx(callerOf('somebody', 'external-jwt-signer', 'ca'));

const newIdentity = (rights: Row = {}): Promise<string> => {
  const name = next();
  const input = {
    name,
    type: 'Default',
    isAdmin: false,
    externalId: `external-${name}`,
    ...rights,
  };
  return controller.create('Identity', input);
};

interface Voucher {
  readonly id: string;
  readonly keys: OwnKeys;
}

const CREATE_SIGNER = `mutation ($input: CreateExternalJwtSignerInput!) {
  createExternalJwtSigner(input: $input) { id trustedForManagement } }`;
const UPDATE_SIGNER = `mutation ($id: ID!, $input: UpdateExternalJwtSignerInput!) {
  updateExternalJwtSigner(id: $id, input: $input) { id trustedForManagement } }`;

async function newSigner(ctx: RequestContext): Promise<Voucher & { trusted: unknown }> {
  const keys = await newOwnKeys(next());
  const { createExternalJwtSigner: signer } = await controller.read<{
    createExternalJwtSigner: Row;
  }>(CREATE_SIGNER, { input: keys.signer.settings }, ctx);
  return { id: String(signer.id), keys, trusted: signer.trustedForManagement };
}

const LOGIN = `mutation ($method: String!) { authenticate(method: $method, input: {}) { identityId token } }`;

async function logIn(
  method: string,
  credentials: RequestContext['credentials'],
): Promise<Row | null> {
  const ctx = controller.parts.contexts.make('127.0.0.1', undefined, { credentials });
  const { data } = await controller.graph(LOGIN, { method }, ctx);
  return (data?.authenticate ?? null) as Row | null;
}

const byJwt = async ({ keys }: Voucher, sub: string): Promise<Row | null> =>
  logIn('ext-jwt', bearing(await keys.signer.jwt(sub)));

describe('a signer', () => {
  test('of an administrator vouches for everybody', async () => {
    const signer = await newSigner(controller.ctx());
    expect(signer.trusted).toBe(true);
    const admin = await newIdentity({ isAdmin: true });
    expect(await byJwt(signer, admin)).toMatchObject({ identityId: admin });
  });

  test.each([
    ['an administrator', { isAdmin: true }],
    ['a holder of any permission', { permissions: ['config.read'] }],
  ])('of others does not vouch for %s', async (_, rights) => {
    const signer = await newSigner(writer());
    expect(signer.trusted).toBe(false);
    expect(await byJwt(signer, await newIdentity(rights))).toBeNull();
    const plain = await newIdentity();
    expect(await byJwt(signer, plain)).toMatchObject({ identityId: plain });
  });

  test.each<[string, (keys: OwnKeys) => Row]>([
    ['its key', ({ signer: { certPem } }) => ({ certPem, kid: next() })],
    ['the claim', () => ({ claimsProperty: 'email' })],
    ['how identities are named', () => ({ useExternalId: true })],
    ['whether it counts', () => ({ enabled: false })],
  ])('loses the trust when others change %s', async (_, change) => {
    const signer = await newSigner(controller.ctx());
    const input = change(await newOwnKeys(next()));
    const answer = await controller.read<{ updateExternalJwtSigner: Row }>(
      UPDATE_SIGNER,
      { id: signer.id, input },
      writer(),
    );
    expect(answer.updateExternalJwtSigner.trustedForManagement).toBe(false);
  });

  test('keeps the trust when others change its name and tags', async () => {
    const signer = await newSigner(controller.ctx());
    const input = { name: next(), tags: { a: 'b' } };
    const answer = await controller.read<{ updateExternalJwtSigner: Row }>(
      UPDATE_SIGNER,
      { id: signer.id, input },
      writer(),
    );
    expect(answer.updateExternalJwtSigner.trustedForManagement).toBe(true);
  });

  test('gets the trust from administrators alone, and only when they say so', async () => {
    const signer = await newSigner(writer());
    const set = async (input: Row, ctx: RequestContext) => {
      const { data, errors } = await controller.graph(UPDATE_SIGNER, { id: signer.id, input }, ctx);
      return errors[0]?.code ?? (data?.updateExternalJwtSigner as Row).trustedForManagement;
    };
    expect(await set({ trustedForManagement: true }, writer())).toBe('UNAUTHORIZED');
    expect(await set({ name: next() }, controller.ctx())).toBe(false);
    expect(await set({ trustedForManagement: true }, controller.ctx())).toBe(true);
    expect(await set({ trustedForManagement: true, name: next() }, writer())).toBe(true);
    expect(await set({ trustedForManagement: false }, writer())).toBe(false);
  });

  test('without trust is no second factor of those who have rights', async () => {
    const signer = await newSigner(writer());
    const policy = await controller.create('AuthPolicy', {
      ...authPolicy({ secondary: { requireExtJwtSigner: signer.id } }),
      name: next(),
    });
    const standing = async (rights: Row): Promise<number | undefined> => {
      const identity = await newIdentity({ authPolicyId: policy, ...rights });
      const { token } = await controller.openSession(identity);
      const jwt = await signer.keys.signer.jwt(identity);
      const ctx = await inSession(controller, token, { authorization: `Bearer ${jwt}` });
      return ctx.caller?.authQueries.length;
    };
    expect(await standing({})).toBe(0);
    expect(await standing({ isAdmin: true })).toBe(1);
    expect(await standing({ permissions: ['config.read'] })).toBe(1);
  });

  test('without trust carries no session of an identity that gets rights', async () => {
    const signer = await newSigner(writer());
    const identity = await newIdentity();
    const session = await byJwt(signer, identity);
    await controller.read(
      'mutation ($id: ID!) { updateIdentity(id: $id, input: { isAdmin: true }) { id } }',
      { id: identity },
    );
    expect((await inSession(controller, String(session?.token))).caller).toBeUndefined();
  });
});

describe('an authority', () => {
  const CLAIM = { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE', index: 0 };

  async function newVerified(ctx: RequestContext): Promise<Voucher> {
    const keys = await newOwnKeys(next());
    const input = {
      name: next(),
      certPem: keys.authority.cert.toString(),
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: false,
      isOttCaEnrollmentEnabled: false,
      identityRoles: [],
      externalIdClaim: CLAIM,
    };
    const { createCertificateAuthority: made } = await controller.read<{
      createCertificateAuthority: { id: string; verificationToken: string };
    }>(
      `mutation ($input: CreateCertificateAuthorityInput!) {
        createCertificateAuthority(input: $input) { id verificationToken } }`,
      { input },
      ctx,
    );
    const proof = await showing(keys, made.verificationToken);
    const [der] = proof.clientChain();
    await controller.read(
      'mutation ($id: ID!, $c: String!) { verifyCertificateAuthority(id: $id, certificate: $c) }',
      { id: made.id, c: pemOf(der) },
      ctx,
    );
    return { id: made.id, keys };
  }

  const pemOf = (der: Buffer | undefined): string =>
    `-----BEGIN CERTIFICATE-----\n${(der ?? Buffer.alloc(0)).toString('base64')}\n-----END CERTIFICATE-----\n`;

  const byCertificate = async ({ keys }: Voucher, externalId: string): Promise<Row | null> =>
    logIn('cert', await showing(keys, externalId));

  test('of an administrator names everybody', async () => {
    const externalId = next();
    const admin = await newIdentity({ isAdmin: true, externalId });
    const authority = await newVerified(controller.ctx());
    expect(await byCertificate(authority, externalId)).toMatchObject({ identityId: admin });
  });

  test.each([
    ['an administrator', { isAdmin: true }],
    ['a holder of any permission', { permissions: ['config.read'] }],
  ])('of others does not name %s', async (_, rights) => {
    const authority = await newVerified(writer());
    const [withRights, without] = [next(), next()];
    await newIdentity({ ...rights, externalId: withRights });
    const plain = await newIdentity({ externalId: without });
    expect(await byCertificate(authority, withRights)).toBeNull();
    expect(await byCertificate(authority, without)).toMatchObject({ identityId: plain });
  });

  test('loses the trust when others change its claim', async () => {
    const externalId = next();
    await newIdentity({ isAdmin: true, externalId });
    const authority = await newVerified(controller.ctx());
    await controller.read(
      `mutation ($id: ID!) { updateCertificateAuthority(id: $id, input: { externalIdClaim: { matcherCriteria: "x", matcher: PREFIX } }) { id } }`,
      { id: authority.id },
      writer(),
    );
    expect(await byCertificate(authority, `x${externalId}`)).toBeNull();
    expect(await byCertificate(authority, externalId)).toBeNull();
  });
});

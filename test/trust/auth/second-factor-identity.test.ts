import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { InProcess } from '../../support/in-process.js';
import { authPolicy, unique } from './client.js';
import { contextOf, inSession, newUser } from './in-process-logins.js';
import { OutsideSigner } from './signers.js';

/* A JWT is a second factor only of the identity that it names, as a login by it would find it. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

/** A signer that auth policies require, and the policy. */
interface Required {
  readonly signer: OutsideSigner;
  readonly signerId: string;
  readonly authPolicyId: string;
}

async function newRequired(settings: Row = {}): Promise<Required> {
  const signer = await OutsideSigner.create(unique('outside'));
  const input = { ...signer.settings, ...settings };
  const signerId = await controller.create('ExternalJwtSigner', input);
  const secondary = { requireExtJwtSigner: signerId };
  const authPolicyId = await controller.create('AuthPolicy', authPolicy({ secondary }));
  return { signer, signerId, authPolicyId };
}

interface Someone {
  readonly id: string;
  readonly externalId: string;
}

async function newSomeone(authPolicyId: string, rights: Row = {}): Promise<Someone> {
  const externalId = unique('External');
  const input = { name: unique('somebody'), type: 'Default', externalId, authPolicyId };
  const id = await controller.create('Identity', { ...input, isAdmin: false, ...rights });
  return { id, externalId };
}

const bearer = (jwt: string): Record<string, string> => ({ authorization: `Bearer ${jwt}` });

/** What a session still lacks when a request brings a JWT. */
async function lacks(token: string, jwt: string): Promise<readonly string[]> {
  const { caller } = await inSession(controller, token, bearer(jwt));
  return caller?.authQueries.map(({ typeId }) => typeId) ?? ['a session'];
}

type Names = (own: Someone, other: Someone) => Row;

interface Case {
  readonly named: string;
  readonly claims: Names;
}

const BY_ID: readonly (Case & { readonly counts: boolean })[] = [
  { named: 'it', claims: ({ id }) => ({ sub: id }), counts: true },
  { named: 'another identity', claims: (_, { id }) => ({ sub: id }), counts: false },
  { named: 'nobody', claims: () => ({ sub: 'nobody' }), counts: false },
  { named: 'its external id', claims: ({ externalId }) => ({ sub: externalId }), counts: false },
  { named: 'its id in other letters', claims: ({ id }) => ({ sub: swapCase(id) }), counts: false },
  { named: 'its id and NUL', claims: ({ id }) => ({ sub: `${id}\0` }), counts: false },
  { named: 'it beside the claim', claims: ({ id }) => ({ sub: 'x', email: id }), counts: false },
];

const BY_EXTERNAL_ID: typeof BY_ID = [
  { named: 'it', claims: ({ externalId }) => ({ email: externalId }), counts: true },
  {
    named: 'another identity',
    claims: ({ externalId: sub }, { externalId: email }) => ({ sub, email }),
    counts: false,
  },
  { named: 'nobody', claims: () => ({ email: 'nobody' }), counts: false },
  { named: 'its id', claims: ({ id }) => ({ email: id }), counts: false },
  {
    named: 'its external id in `sub` alone',
    claims: ({ externalId: sub }) => ({ sub }),
    counts: false,
  },
];

const swapCase = (text: string): string =>
  Array.from(text, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');

const RIGHTS: readonly (readonly [string, Row])[] = [
  ['an identity', {}],
  ['an administrator', { isAdmin: true }],
];

describe.each(RIGHTS)('the session of %s', (_, rights) => {
  describe.each([
    ['ids', {}, BY_ID],
    ['external ids', { useExternalId: true, claimsProperty: '/email' }, BY_EXTERNAL_ID],
  ] as const)('whose signer uses %s', (__, settings, cases) => {
    let required: Required;
    beforeAll(async () => {
      required = await newRequired(settings);
    });

    test.each(cases)('with a JWT that names $named: $counts', async ({ claims, counts }) => {
      const { signer, authPolicyId } = required;
      const own = await newSomeone(authPolicyId, rights);
      const other = await newSomeone(authPolicyId, rights);
      const { token } = await controller.openSession(own.id);
      const jwt = await signer.jwt('', claims(own, other));
      expect(await lacks(token, jwt)).toEqual(counts ? [] : ['EXT-JWT']);
    });
  });
});

test('a JWT that has counted for one session does not count for that of another identity', async () => {
  const { signer, authPolicyId } = await newRequired();
  const [own, other] = [await newSomeone(authPolicyId), await newSomeone(authPolicyId)];
  const [ownSession, otherSession] = [
    await controller.openSession(own.id),
    await controller.openSession(other.id),
  ];
  const jwt = await signer.jwt(own.id);
  expect(await lacks(ownSession.token, jwt)).toEqual([]);
  expect(await lacks(otherSession.token, jwt)).toEqual(['EXT-JWT']);
  expect(await lacks(ownSession.token, jwt)).toEqual([]);
});

describe('the refusal', () => {
  test('is the same for the JWT of another identity and of nobody', async () => {
    const { signer, signerId, authPolicyId } = await newRequired();
    const own = await newSomeone(authPolicyId);
    const other = await newSomeone(authPolicyId);
    const { token } = await controller.openSession(own.id);
    const challengeOf = async (sub: string): Promise<string | undefined> =>
      (await inSession(controller, token, bearer(await signer.jwt(sub)))).caller?.challenge;
    const expected =
      'Bearer realm="openziti-secondary-ext-jwt" error="invalid" ' +
      `error_description="token does not name the identity of the session" id="${signerId}" issuer="${signer.issuer}"`;
    expect(await challengeOf(other.id)).toBe(expected);
    expect(await challengeOf('nobody')).toBe(expected);
  });

  test('says of several JWTs what is wrong with the closest', async () => {
    const { signer, authPolicyId } = await newRequired();
    const own = await newSomeone(authPolicyId);
    const { token } = await controller.openSession(own.id);
    const expired = await signer.jwt(own.id, {}, { expiresIn: -600 });
    const bearers = [await signer.jwt('nobody'), expired].map((jwt) => `Bearer ${jwt}`);
    const request = {
      headers: { 'zt-session': token },
      rawHeaders: bearers.flatMap((value) => ['authorization', value]),
      socket: { remoteAddress: '127.0.0.1' },
    };
    const { caller } = await controller.parts.contexts.create(request as never);
    expect(caller?.challenge).toContain('error="expired"');
  });
});

describe('a login by password', () => {
  const LOGIN = `mutation ($username: String!, $password: String!) {
    authenticate(method: "password", input: { username: $username, password: $password }) {
      token authQueries { typeId } } }`;

  test.each([
    ['its own JWT', true],
    ['the JWT of another identity', false],
  ])('with %s is complete: %s', async (_, isOwn) => {
    const { signer, authPolicyId } = await newRequired();
    const user = await newUser(controller, unique('user'), { authPolicyId });
    const other = await newSomeone(authPolicyId);
    const jwt = await signer.jwt(isOwn ? user.id : other.id);
    const { username, password } = user;
    const { authenticate } = await controller.read<{
      authenticate: { token: string; authQueries: { typeId: string }[] };
    }>(LOGIN, { username, password }, await contextOf(controller, bearer(jwt)));
    const expected = isOwn ? [] : ['EXT-JWT'];
    expect(authenticate.authQueries.map(({ typeId }) => typeId)).toEqual(expected);
    // A factor that was missing at the login stays required, whatever the policy asks then.
    await controller.read(
      `mutation ($id: ID!) {
        updateAuthPolicy(id: $id, input: { secondary: { requireExtJwtSigner: "" } }) { id } }`,
      { id: authPolicyId },
    );
    const { caller } = await inSession(controller, authenticate.token);
    expect(caller?.authQueries.map(({ typeId }) => typeId)).toEqual(expected);
  });
});

test('a JWT counts no more when its claim becomes that of another identity', async () => {
  const { signer, authPolicyId } = await newRequired({ useExternalId: true });
  const own = await newSomeone(authPolicyId);
  const { token } = await controller.openSession(own.id);
  const jwt = await signer.jwt(own.externalId);
  expect(await lacks(token, jwt)).toEqual([]);
  const rename = (id: string, externalId: string): Promise<unknown> =>
    controller.read(
      'mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }',
      { id, input: { externalId } },
    );
  await rename(own.id, unique('Former'));
  expect(await lacks(token, jwt)).toEqual(['EXT-JWT']);
  const other = await newSomeone(authPolicyId);
  await rename(other.id, own.externalId);
  expect(await lacks(token, jwt)).toEqual(['EXT-JWT']);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import {
  authorize,
  confirm,
  enroll,
  logIn,
  Parameters,
  unenroll,
} from '../../../src/trust/oidc/index.js';
import { InProcess } from '../../support/in-process.js';
import { authPolicy, unique } from './client.js';
import { contextOf, MINUTE, newUser, TestClock, tokenOf } from './in-process-logins.js';
import { beginFactor, newHolder, sendCode, VERIFY } from './in-process-mfa.js';
import { oneTimeCode, secretIn } from './one-time-code.js';
import { OutsideSigner } from './signers.js';

/* What a session has still to prove it has to prove, whatever else happens. */

const clock = new TestClock();
let controller: InProcess;
let signer: OutsideSigner;
let signerId: string;

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: clock.now });
  signer = await OutsideSigner.create(unique('outside'));
  signerId = await controller.create('ExternalJwtSigner', { ...signer.settings });
});
afterAll(() => controller.stop());
beforeEach(() => {
  clock.advance(10 * MINUTE);
});

/** For a login; good for five minutes of the clock of the test. */
const jwt = ({ id }: Pick<Login, 'id'>): Promise<string> =>
  signer.jwt(id, {}, { expiresIn: Math.floor((clock.now().getTime() - Date.now()) / 1000) + 300 });

/** A request in a session, with JWTs. */
const inSession = (token: string, ...bearers: string[]) =>
  contextOf(controller, {
    'zt-session': token,
    ...Object.fromEntries(bearers.map((bearer) => ['authorization', `Bearer ${bearer}`])),
  });

async function refusal(token: string, text: string, variables: Row = {}): Promise<unknown> {
  const { errors } = await controller.graph(text, variables, await inSession(token));
  return errors[0]?.code;
}

const queriesOf = async (token: string, ...bearers: string[]): Promise<unknown> =>
  (await inSession(token, ...bearers)).caller?.authQueries.map(({ typeId }) => typeId);

const update = (resource: string, id: string, input: Row): Promise<unknown> =>
  controller.read(
    `mutation ($id: ID!, $input: Update${resource}Input!) { update${resource}(id: $id, input: $input) { id } }`,
    { id, input },
  );

/** Blank, since null leaves the signer alone. */
const NOTHING = { requireTotp: false, requireExtJwtSigner: '' };

interface Login {
  readonly id: string;
  readonly policyId: string;
  readonly token: string;
  readonly username: string;
  readonly password: string;
}

async function loggedIn(secondary: Row): Promise<Login> {
  const policyId = await controller.create('AuthPolicy', authPolicy({ secondary }));
  const user = await newUser(controller, unique('asked'), { authPolicyId: policyId });
  return { ...user, policyId, token: await tokenOf(controller, { ...user }) };
}

const RELAXED: readonly (readonly [string, (login: Login) => Promise<unknown>])[] = [
  [
    'its policy asks no more',
    ({ policyId }) => update('AuthPolicy', policyId, { secondary: NOTHING }),
  ],
  [
    'its identity comes under another policy',
    async ({ id }) => {
      const authPolicyId = await controller.create('AuthPolicy', authPolicy({}));
      await update('Identity', id, { authPolicyId });
    },
  ],
];

describe('a login that is partial by its policy stays so when', () => {
  test.each(RELAXED)('it lacks a code and %s', async (_, relax) => {
    const login = await loggedIn({ requireTotp: true });
    await relax(login);
    await expect(queriesOf(login.token)).resolves.toEqual(['MFA']);
    await expect(refusal(login.token, '{ currentIdentity { id } }')).resolves.toBe('UNAUTHORIZED');
    await expect(queriesOf(await tokenOf(controller, { ...login }))).resolves.toEqual([]);
  });

  test.each(RELAXED)('it lacks a JWT and %s', async (_, relax) => {
    const login = await loggedIn({ requireExtJwtSigner: signerId });
    await relax(login);
    await expect(queriesOf(login.token)).resolves.toEqual(['EXT-JWT']);
    await expect(queriesOf(login.token, await jwt(login))).resolves.toEqual([]);
    await expect(queriesOf(await tokenOf(controller, { ...login }))).resolves.toEqual([]);
  });

  test('administrators look at it', async () => {
    const login = await loggedIn({ requireTotp: true, requireExtJwtSigner: signerId });
    await update('AuthPolicy', login.policyId, { secondary: NOTHING });
    const { apiSessions } = await controller.read<{
      apiSessions: { nodes: { authQueries: { typeId: string }[] }[] };
    }>('query ($f: String) { apiSessions(filter: $f) { nodes { authQueries { typeId } } } }', {
      f: `identity = "${login.id}"`,
    });
    expect(apiSessions.nodes[0]?.authQueries.map(({ typeId }) => typeId)).toEqual([
      'MFA',
      'EXT-JWT',
    ]);
  });
});

describe('a session that', () => {
  test('becomes partial by its policy is complete again when that is taken back', async () => {
    const login = await loggedIn({});
    await update('AuthPolicy', login.policyId, { secondary: { requireTotp: true } });
    await expect(queriesOf(login.token)).resolves.toEqual(['MFA']);
    await update('AuthPolicy', login.policyId, { secondary: NOTHING });
    await expect(queriesOf(login.token)).resolves.toEqual([]);
  });

  test('proved its code keeps it proved, whatever the policy asks then', async () => {
    const login = await loggedIn({ requireTotp: true });
    const { secret } = await beginFactor(controller, login.token);
    const code = oneTimeCode(secret, clock.now());
    await expect(sendCode(controller, login.token, VERIFY, code)).resolves.toBe(true);
    await expect(queriesOf(login.token)).resolves.toEqual([]);
  });

  test('is told whether there is a factor by now', async () => {
    const login = await loggedIn({ requireTotp: true });
    const other = await tokenOf(controller, { ...login });
    const isEnrolled = async (): Promise<unknown> =>
      (await inSession(login.token)).caller?.authQueries[0]?.isTotpEnrolled;
    await expect(isEnrolled()).resolves.toBe(false);
    const { secret } = await beginFactor(controller, other);
    await sendCode(controller, other, VERIFY, oneTimeCode(secret, clock.now()));
    await expect(isEnrolled()).resolves.toBe(true);
  });
});

describe('a session that lacks a JWT', () => {
  const SETTING_UP: readonly (readonly [string, string])[] = [
    ['begins no factor', 'mutation { createCurrentMfa }'],
    ['confirms none', 'mutation { verifyCurrentMfa(code: "000000") }'],
    ['sees no secret', '{ currentMfa { provisioningUrl recoveryCodes } }'],
    ['sees no picture of one', '{ currentMfaQrCode }'],
  ];

  test.each(SETTING_UP)('%s', async (_, text) => {
    const { token } = await loggedIn({ requireTotp: true, requireExtJwtSigner: signerId });
    await expect(refusal(token, text)).resolves.toBe('UNAUTHORIZED');
  });

  test('does so with the JWT beside it', async () => {
    const login = await loggedIn({ requireTotp: true, requireExtJwtSigner: signerId });
    const { messages } = await controller.graph(
      'mutation { createCurrentMfa }',
      {},
      await inSession(login.token, await jwt(login)),
    );
    expect(messages).toEqual([]);
  });
});

describe('a login over OpenID Connect that lacks a JWT', () => {
  const PARAMETERS = new Parameters(
    new URLSearchParams({
      ...{ client_id: 'native', response_type: 'code', scope: 'openid' },
      ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
      redirect_uri: 'http://localhost:8080/auth/callback',
    }),
  );
  const settings = {
    redirectUris: [],
    postLogoutUris: [],
    accessSeconds: 600,
    refreshSeconds: 3600,
  };
  const request = { issuer: 'https://localhost/oidc', authorization: undefined, settings };

  const withJwts = (...bearers: string[]) => inSession('', ...bearers);

  /** The id of a login whose password was proved. */
  async function proved({ username, password }: Login): Promise<{ id: string; key: undefined }> {
    const ctx = await withJwts();
    const page = await authorize({ ...request, ctx, parameters: PARAMETERS });
    const id = new URL(page, request.issuer).searchParams.get('authRequestID') ?? '';
    const facts = { configTypes: [], envInfo: {}, sdkInfo: {}, csrPem: undefined };
    await logIn(ctx, id, { ...facts, method: 'password', username, password, isOnPage: false });
    return { id, key: undefined };
  }

  test('neither begins nor completes nor removes a factor', async () => {
    const login = await loggedIn({ requireTotp: true, requireExtJwtSigner: signerId });
    const setUp = await proved(login);
    const refused = { code: 'UNAUTHORIZED' };
    await expect(enroll(await withJwts(), setUp)).rejects.toMatchObject(refused);
    const factor = await enroll(await withJwts(await jwt(login)), setUp);
    const code = oneTimeCode(secretIn(factor.provisioningUrl ?? ''), clock.now());
    await expect(confirm(await withJwts(), setUp, code)).rejects.toMatchObject(refused);
    await expect(unenroll(await withJwts(), setUp, '')).rejects.toMatchObject(refused);
    const complete = await confirm(await withJwts(await jwt(login)), setUp, code);
    expect(complete).toHaveProperty('key');
  });

  test('begins none either if its policy asks for no code', async () => {
    const setUp = await proved(await loggedIn({ requireExtJwtSigner: signerId }));
    await expect(enroll(await withJwts(), setUp)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

describe('a factor that is completed', () => {
  const REMOVE_OF = 'mutation ($id: ID!) { removeIdentityMfa(id: $id) }';

  test('is replaced by no session of its identity that has not proved it', async () => {
    const holder = await newHolder(controller, { isAdmin: true });
    const older = await tokenOf(controller, { ...holder });
    const code = oneTimeCode(holder.secret, clock.now());
    await expect(sendCode(controller, holder.token, VERIFY, code)).resolves.toBe(true);
    const partial = await tokenOf(controller, { ...holder });
    await expect(queriesOf(older)).resolves.toEqual([]);
    for (const [token, text, code] of [
      [older, 'mutation { createCurrentMfa }', 'MFA_EXISTS'],
      [older, 'mutation { verifyCurrentMfa(code: "000000") }', 'NOT_FOUND'],
      [older, 'mutation { deleteCurrentMfa(code: "") }', 'MFA_INVALID_TOKEN'],
      [older, REMOVE_OF, 'UNAUTHORIZED'],
      [partial, 'mutation { createCurrentMfa }', 'MFA_EXISTS'],
      [partial, 'mutation { verifyCurrentMfa(code: "000000") }', 'NOT_FOUND'],
      [partial, 'mutation { deleteCurrentMfa(code: "") }', 'UNAUTHORIZED'],
      [partial, REMOVE_OF, 'UNAUTHORIZED'],
    ] as const) {
      const variables = text === REMOVE_OF ? { id: holder.id } : {};
      expect([text, await refusal(token, text, variables)]).toEqual([text, code]);
    }
    await expect(refusal(holder.token, REMOVE_OF, { id: holder.id })).resolves.toBeUndefined();
  });

  test('and is taken away leaves partial what was partial', async () => {
    const holder = await newHolder(controller);
    await sendCode(controller, holder.token, VERIFY, oneTimeCode(holder.secret, clock.now()));
    const partial = await tokenOf(controller, { ...holder });
    await controller.read(REMOVE_OF, { id: holder.id });
    await expect(queriesOf(partial)).resolves.toEqual(['MFA']);
  });
});

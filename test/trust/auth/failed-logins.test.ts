import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import {
  keysOf,
  networkCertificate,
  newAuthority,
  newLeaf,
  type ClientCertificate,
} from './certificates.js';
import {
  authenticate,
  authPolicy,
  bearersOf,
  call,
  newPerson,
  PASSWORD,
  runSql,
  sessionIn,
  unique,
  withToken,
  type Call,
} from './client.js';
import { secretIn, oneTimeCode, wrongCode } from './one-time-code.js';
import { OutsideSigner } from './signers.js';

/*
 * Logins that really fail, at both doors and in two processes of a controller, are counted with their
 * reasons; nothing of what lets people in is kept.
 */

let controller: TestController & { dataDir: string };
let signer: OutsideSigner;
const ids: Record<string, string> = {};
const usernames: Record<string, string> = {};
const certificates: Record<string, ClientCertificate> = {};
const tokens: Record<string, string> = {};
/** The secrets that must not be kept, by their kinds. */
const secrets = new Map<string, string>();

function secret(text: string): string {
  secrets.set(String(secrets.size), text);
  return text;
}

beforeAll(async () => {
  controller = await startController({
    env: { OVERGRAPH_LOGIN_LIMIT: '0', OVERGRAPH_WORKERS: '2' },
  });
  signer = await OutsideSigner.create('outside');
  await controller.create('external-jwt-signers', signer.settings);
  const other = await OutsideSigner.create('other');
  const otherId = await controller.create('external-jwt-signers', other.settings);
  await prepare('open', {});
  const none = { allowed: false };
  await prepare('closed', {
    cert: none,
    extJwt: { ...none, allowedSigners: [otherId] },
    updb: none,
  });
  await prepare('late', { cert: { allowExpiredCerts: false } }, -400);
  await prepare('disabled', {});
  await controller.rest('POST', `/identities/${String(ids.disabled)}/disable`, {
    durationMinutes: 0,
  });
  await prepare('locked', { updb: { maxAttempts: 1, lockoutDurationMinutes: 10 } });
  certificates.unregistered = await networkCertificate(await keysOf(controller), 'nobody');
  certificates.untrusted = await newLeaf('stranger', await newAuthority('stranger'));
  tokens.valid = await signer.jwt(String(ids.closed));
  tokens.expired = await signer.jwt(String(ids.open), {}, { expiresIn: -60 });
  tokens.forged = await signer.jwt(String(ids.open), {}, { key: other.key });
  tokens.unknownIssuer = await signer.jwt(String(ids.open), { iss: 'nobody' });
  tokens.nobody = await signer.jwt('nobody-at-all');
  tokens.disabled = await signer.jwt(String(ids.disabled));
  for (const each of [
    ...Object.values(tokens),
    ...Object.values(certificates).map((c) => c.cert),
  ]) {
    secret(each.trim().split('\n').at(1) ?? each.split('.').at(-1) ?? each);
  }
});
afterAll(() => controller.stop());

async function prepare(
  name: string,
  policy: Parameters<typeof authPolicy>[0],
  certifiedDaysAgo = 0,
): Promise<void> {
  const authPolicyId = await controller.create('auth-policies', authPolicy(policy));
  const { id, username } = await newPerson(controller, { authPolicyId });
  ids[name] = id;
  usernames[name] = username;
  const at = new Date(Date.now() + certifiedDaysAgo * 86_400_000);
  const certificate = await networkCertificate(await keysOf(controller), id, at);
  const body = { identityId: id, method: 'cert', certPem: certificate.leaf };
  await controller.create('authenticators', body);
  certificates[name] = certificate;
}

type Login = readonly [method: string, call: () => Call, refusal: string, who?: string];

const byPassword =
  (username: () => unknown, password: string): (() => Call) =>
  () => ({
    body: { username: username(), password },
  });
const withCertificate = (name: string) => (): Call => ({ certificate: certificates[name] });
const withJwt = (name: string) => (): Call => ({
  headers: { authorization: bearersOf([String(tokens[name])]) },
});

const wrong = 'wrong ' + 'password';
/** Texts of this form are passwords typed in the wrong field. */
const unknown = 'my-pass' + 'word-in-the-wrong-field';

const LOGINS: readonly Login[] = [
  ['password', byPassword(() => secret(unknown), secret(wrong)), 'UNKNOWN_USERNAME'],
  ['password', byPassword(() => usernames.open, wrong), 'WRONG_PASSWORD', 'open'],
  ['password', byPassword(() => usernames.disabled, PASSWORD), 'IDENTITY_DISABLED', 'disabled'],
  ['password', byPassword(() => usernames.closed, PASSWORD), 'PASSWORDS_NOT_ALLOWED', 'closed'],
  ['cert', () => ({}), 'NO_CERTIFICATE'],
  ['cert', withCertificate('untrusted'), 'UNTRUSTED_CERTIFICATE'],
  ['cert', withCertificate('unregistered'), 'UNKNOWN_CERTIFICATE'],
  ['cert', withCertificate('closed'), 'CERTIFICATE_NOT_ALLOWED', 'closed'],
  ['cert', withCertificate('late'), 'CERTIFICATE_NOT_CURRENT', 'late'],
  ['cert', withCertificate('disabled'), 'IDENTITY_DISABLED', 'disabled'],
  ['ext-jwt', () => ({}), 'MISSING_TOKEN'],
  ['ext-jwt', withJwt('unknownIssuer'), 'UNKNOWN_ISSUER'],
  ['ext-jwt', withJwt('forged'), 'WRONG_SIGNATURE'],
  ['ext-jwt', withJwt('expired'), 'EXPIRED_TOKEN'],
  ['ext-jwt', withJwt('nobody'), 'UNKNOWN_CLAIM'],
  ['ext-jwt', withJwt('valid'), 'SIGNER_NOT_ALLOWED', 'closed'],
  ['ext-jwt', withJwt('disabled'), 'IDENTITY_DISABLED', 'disabled'],
];

const AUTHENTICATE = `mutation ($method: String!, $input: AuthenticateInput!) {
  authenticate(method: $method, input: $input) { id } }`;

/** Fails once at each door. */
async function failAtBoth(method: string, made: Call): Promise<void> {
  const rest = await authenticate(controller, method, made);
  expect(rest.status).toBe(401);
  const { body: input = {}, ...others } = made;
  const body = { query: AUTHENTICATE, variables: { method, input } };
  const { body: answer } = await call(controller, 'POST', '/graphql', { ...others, body });
  const { errors } = answer as unknown as { errors: { extensions: { status: number } }[] };
  expect(errors.map(({ extensions }) => extensions.status)).toEqual([401]);
}

interface Group {
  readonly refusal: string;
  readonly method: string;
  readonly owner: string;
  readonly identityId: string | null;
  readonly identity: { readonly name: string } | null;
  readonly sender: string | null;
  readonly count: number;
}

const OVERVIEW = `{ overview { sessions(hours: 2) { failedLogins } failedLogins(first: 100, hours: 2) {
  total groupCount nodes { refusal method owner identityId identity { name } sender count lastAt } } } }`;

interface Answer {
  readonly sessions: readonly { readonly failedLogins: number }[];
  readonly failedLogins: {
    readonly total: number;
    readonly groupCount: number;
    readonly nodes: readonly Group[];
  };
}

async function overview(on: TestController = controller): Promise<Answer> {
  const { data, errors } = await on.graphql(OVERVIEW);
  expect(errors).toBeUndefined();
  const { overview: answer } = data as { overview: Answer };
  return answer;
}

const keyOf = ({
  method,
  refusal,
  identityId,
}: Omit<Group, 'identity' | 'sender' | 'owner' | 'count'>) =>
  [method, refusal, identityId ?? 'unknown'].join(' ');

const counts = (groups: readonly Group[]): Readonly<Record<string, number>> =>
  Object.fromEntries(groups.map((group): [string, number] => [keyOf(group), group.count]));

test('each failure is counted with its reason, at both doors, and without a secret', async () => {
  const expected = new Map<string, number>();
  const expectOne = (method: string, refusal: string, who?: string, count = 1): void => {
    const key = keyOf({ method, refusal, identityId: who === undefined ? null : String(ids[who]) });
    expected.set(key, (expected.get(key) ?? 0) + count);
  };
  for (const [method, made, refusal, who] of LOGINS) {
    await failAtBoth(method, made());
    expectOne(method, refusal, who, 2);
  }
  // An address that has not logged in before locks itself out alone; else the identity is disabled.
  const locked = { body: { username: usernames.locked, password: wrong } };
  for (const refusal of ['WRONG_PASSWORD', 'IDENTITY_DISABLED']) {
    expect((await authenticate(controller, 'password', locked)).status).toBe(401);
    expectOne('password', refusal, 'locked');
  }
  await failSecondFactor();
  expectOne('mfa', 'WRONG_CODE', 'open');
  const answer = await eventually(async () => {
    const { failedLogins } = await overview();
    expect(counts(failedLogins.nodes)).toEqual(Object.fromEntries(expected));
    return failedLogins;
  });
  const all = [...expected.values()].reduce((sum, count) => sum + count, 0);
  expect(answer.value).toMatchObject({ total: all, groupCount: expected.size });
  const { nodes } = answer.value;
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, usernames[name]]));
  for (const { sender, owner, identityId, identity } of nodes) {
    expect(sender).toBe('127.0.0.1');
    expect(owner).toBe(identityId === null ? 'UNKNOWN' : 'IDENTITY');
    expect(identity?.name).toBe(identityId === null ? undefined : names.get(identityId));
  }
  const { sessions } = await overview();
  expect(sessions.reduce((sum, { failedLogins }) => sum + failedLogins, 0)).toBe(all);
  await expectNoSecret(JSON.stringify(nodes));
});

/** Sets a second factor up, and fails to prove it in the next session. */
async function failSecondFactor(): Promise<void> {
  const logIn = async (): Promise<string> => {
    const body = { username: usernames.open, password: secret(PASSWORD) };
    return secret(sessionIn(await authenticate(controller, 'password', { body })).token);
  };
  const first = withToken(await logIn());
  const MFA = '/current-identity/mfa';
  await call(controller, 'POST', MFA, { ...first, body: {} });
  const { body } = await call(controller, 'GET', MFA, first);
  const { provisioningUrl } = body.data as { provisioningUrl: string };
  const key = secret(secretIn(provisioningUrl));
  const code = { code: oneTimeCode(key) };
  expect((await call(controller, 'POST', `${MFA}/verify`, { ...first, body: code })).status).toBe(
    200,
  );
  const next = withToken(await logIn());
  const body2 = { code: secret(wrongCode(key)) };
  const refused = await call(controller, 'POST', '/authenticate/mfa', { ...next, body: body2 });
  expect(refused.status).toBe(401);
}

/** Looks through all that is stored of failed logins, and through an answer. */
async function expectNoSecret(answer: string): Promise<void> {
  const rows = await runSql(controller, 'select f::text as text from failed_login f');
  const text = answer + rows.map((row) => String(row.text)).join('\n');
  expect(rows.length).toBeGreaterThan(10);
  expect([...secrets.values()].filter((each) => each.length < 5)).toEqual([]);
  expect([...secrets.values()].filter((each) => text.includes(each))).toEqual([]);
}

test('the controller tells that it has two processes', async () => {
  await eventually(async () => {
    const { data } = await controller.graphql('{ overview { controllers { processCount } } }');
    const { controllers } = (data as { overview: { controllers: object[] } }).overview;
    expect(controllers).toContainEqual({ processCount: 2 });
  });
});

describe('what was counted', () => {
  test('is there after a restart, also of the last moment', async () => {
    const { username } = await newPerson(controller, {});
    const name = unique('restart');
    const { databaseUrl, dataDir } = controller;
    const beside = await startController({ with: { databaseUrl, dataDir } });
    const before = (await overview(beside)).failedLogins.total;
    const made = { body: { username, password: `wrong ${name}` } };
    expect((await authenticate(beside, 'password', made)).status).toBe(401);
    await beside.end();
    expect((await overview()).failedLogins.total).toBe(before + 1);
    await beside.stop();
  });
});

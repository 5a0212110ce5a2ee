import { mutateText } from '../../fuzz/mutate-text.js';
import { oddText, oddValue } from '../../fuzz/odd-values.js';
import type { Random } from '../../fuzz/random.js';
import type { OidcCall } from './login-client.js';

/* Requests to the provider that no client sends, as a seed decides. */

/** Each endpoint with parameters that it reads. */
export const GARBAGE_ENDPOINTS: readonly (readonly [
  method: string,
  path: string,
  names: readonly string[],
])[] = [
  ['GET', '/oidc/authorize', ['client_id', 'redirect_uri', 'scope', 'state', 'nonce', 'method']],
  ['GET', '/oidc/authorize', ['code_challenge', 'configTypes', 'prompt', 'response_type']],
  ['GET', '/oidc/authorize/callback', ['id', 'key']],
  ['GET', '/oidc/login/username', ['authRequestID', 'id']],
  ['GET', '/oidc/login/auth-queries', ['id']],
  ['POST', '/oidc/login/password', ['id', 'username', 'password', 'configTypes', 'sdkType']],
  ['POST', '/oidc/login/cert', ['id', 'csrPem', 'envOs']],
  ['POST', '/oidc/login/ext-jwt', ['id']],
  ['POST', '/oidc/login/totp', ['id', 'code']],
  ['POST', '/oidc/login/totp/enroll', ['id']],
  ['DELETE', '/oidc/login/totp/enroll', ['id', 'code']],
  ['POST', '/oidc/login/totp/enroll/verify', ['id', 'code']],
  ['POST', '/oidc/device_authorization', ['client_id', 'scope', 'configTypes']],
  ['GET', '/oidc/device', ['user_code']],
  ['POST', '/oidc/device', ['user_code']],
  ['GET', '/oidc/device/confirm', ['id', 'key']],
  ['POST', '/oidc/device/confirm', ['id', 'key', 'decision']],
  ['POST', '/oidc/oauth/token', ['grant_type', 'code', 'redirect_uri', 'code_verifier']],
  ['POST', '/oidc/oauth/token', ['refresh_token', 'subject_token', 'scope', 'client_id']],
  ['POST', '/oidc/oauth/token', ['device_code', 'csr_pem', 'subject_token_type', 'audience']],
  ['POST', '/oidc/oauth/introspect', ['token']],
  ['POST', '/oidc/revoke', ['token', 'client_id']],
  ['GET', '/oidc/end_session', ['id_token_hint', 'post_logout_redirect_uri', 'state']],
  ['GET', '/oidc/userinfo', ['access_token']],
];

/** Endpoints that read nothing, and methods beside those above. */
const OTHER_ENDPOINTS: typeof GARBAGE_ENDPOINTS = [
  ['POST', '/oidc/authorize', ['client_id', 'redirect_uri', 'code_challenge_method']],
  ['POST', '/oidc/login/username', ['id']],
  ['GET', '/oidc/login/password', ['authRequestID']],
  ['GET', '/oidc/login/cert', ['authRequestID']],
  ['GET', '/oidc/login/ext-jwt', ['authRequestID']],
  ['POST', '/oidc/oauth/revoke', ['token']],
  ['POST', '/oidc/end_session', ['id_token_hint', 'client_id']],
  ['POST', '/oidc/userinfo', []],
  ['GET', '/oidc/.well-known/openid-configuration', []],
  ['GET', '/oidc/keys', []],
  ['GET', '/oidc/logged-out', []],
  ['GET', '/oidc/healthz', []],
  ['GET', '/oidc/ready', []],
];

/** Valid values, by the name of their parameter; several for some. */
export type UsualValues = Readonly<Record<string, readonly string[]>>;

export interface GarbageRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly call: OidcCall;
}

const NOTHING: ReadonlySet<string> = new Set();
/** Of a head; longer ones are refused before the provider sees them. */
const MAX_ADDRESS = 6_000;
const MAX_HEADER = 2_000;

/** The request of a number of a seed. */
export function garbageRequest(random: Random, usual: UsualValues): GarbageRequest {
  const [method, path, names] = random.pick([...GARBAGE_ENDPOINTS, ...OTHER_ENDPOINTS]);
  const fields = fieldsOf(random, usual, names);
  const isInAddress = method === 'GET' || random.chance(15);
  const query = new URLSearchParams(isInAddress ? fields : []).toString().slice(0, MAX_ADDRESS);
  return {
    ...{ method, path, query },
    call: {
      ...(method === 'GET' ? {} : bodyOf(random, isInAddress ? [] : fields)),
      headers: headersOf(random, usual),
    },
  };
}

type Field = [name: string, value: string];

function fieldsOf(random: Random, usual: UsualValues, names: readonly string[]): Field[] {
  // All parameters as a rule, so that a request comes far with one that is odd.
  const others = random.chance(80) ? Object.keys(usual) : random.some(Object.keys(usual), 30);
  const fields = [...new Set([...others, ...names])].flatMap((name): Field[] => {
    const value = valueOf(random, usual[name] ?? [], names.includes(name));
    return value === undefined ? [] : [[name, value]];
  });
  const again = random.chance(10) ? random.some(fields, 20) : [];
  const odd: Field[] = random.chance(10)
    ? [[oddText(random, NOTHING), oddText(random, NOTHING)]]
    : [];
  return [...again, ...fields, ...odd];
}

function valueOf(random: Random, usual: readonly string[], isRead: boolean): string | undefined {
  const value = usual.length === 0 ? 'x' : random.pick(usual);
  return random.made<string | undefined>([
    [isRead ? 40 : 90, () => value],
    [15, () => oddText(random, NOTHING)],
    [15, () => mutateText(value, random, NOTHING)],
    [5, () => undefined],
  ]);
}

const FORM = 'application/x-www-form-urlencoded';
const TYPES = [
  'text/plain',
  'multipart/form-data; boundary=x',
  '',
  'application/json;',
  `${FORM};x`,
];

const bodyOf = (random: Random, fields: Field[]): Pick<OidcCall, 'text'> => {
  const form = new URLSearchParams(fields).toString();
  const text = (type: string, body: string) => ({ text: { type, body } });
  return random.made([
    [60, () => text(FORM, form)],
    [20, () => text('application/json', jsonOf(random, fields))],
    [8, () => text(FORM, mutateText(form, random, NOTHING))],
    [5, () => text('application/json', mutateText(jsonOf(random, fields), random, NOTHING))],
    [5, () => text(random.pick(TYPES), form)],
    [2, () => ({})],
  ]);
};

function jsonOf(random: Random, fields: readonly Field[]): string {
  if (random.chance(5)) return JSON.stringify(oddValue(random, NOTHING));
  const members = fields.map(([name, value]): [string, unknown] => [
    name,
    random.chance(10) ? oddValue(random, NOTHING) : value,
  ]);
  const infos = random.chance(20) ? [['sdkInfo', oddValue(random, NOTHING)] as const] : [];
  return JSON.stringify(Object.fromEntries([...members, ...infos]));
}

const ACCEPTED = ['text/html', 'text/html,*/*;q=0.8', 'application/json', '*/*', 'image/png'];

function headersOf(random: Random, usual: UsualValues): Record<string, string> {
  const token = random.pick(usual.token ?? ['x']);
  const authorization = random.made<string | undefined>([
    [60, () => undefined],
    [10, () => `Bearer ${token}`],
    [5, () => `Bearer ${mutateText(token, random, NOTHING)}`],
    [5, () => `Basic ${Buffer.from(oddText(random, NOTHING)).toString('base64')}`],
    [5, () => `Basic ${Buffer.from('native:').toString('base64')}`],
    [5, () => oddText(random, NOTHING)],
  ]);
  const accept = random.chance(80) ? random.pick(ACCEPTED) : oddText(random, NOTHING);
  const host = hostOf(random);
  const headers = {
    ...{ accept },
    ...(authorization === undefined ? {} : { authorization }),
    ...(host === undefined ? {} : { host }),
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, sendable(value)]),
  );
}

const HOSTS = ['localhost', '127.0.0.1:443', 'localhost:1', '[::1]:1', 'evil.example'];
/** They name the controller, and are no address. */
const BAD_PORTS = ['0', '65536', '99999', '', '123456', '-1', '1e3'];

/** Undefined: the one of the connection. */
const hostOf = (random: Random): string | undefined =>
  random.made<string | undefined>([
    [85, () => undefined],
    [4, () => random.pick(HOSTS)],
    [5, () => `localhost:${random.pick(BAD_PORTS)}`],
    [3, () => mutateText('localhost:1280', random, NOTHING)],
    [3, () => oddText(random, NOTHING)],
  ]);

/** Of the characters that a client library sends in a header. */
const sendable = (value: string): string =>
  value.replace(/[^\x20-\x7e\xa0-\xff]/g, '').slice(0, MAX_HEADER);

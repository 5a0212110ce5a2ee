import { Agent, request as httpsRequest } from 'node:https';
import pg from 'pg';
import { PLAIN_PASSWORDS } from '../../support/auth-settings.js';
import type { Answer, Envelope, TestController } from '../../support/controller.js';
import type { ClientCertificate } from './certificates.js';

/** Values of a repeated header go out as lines of their own. */
export type Headers = Readonly<Record<string, string | string[]>>;

export interface Call {
  readonly body?: unknown;
  readonly headers?: Headers;
  readonly certificate?: ClientCertificate | undefined;
  /** Instead of a connection of its own. */
  readonly agent?: Agent;
}

/** A connection of its own, as a client makes it: no session is added, a certificate may be. */
export function call(
  { port }: Pick<TestController, 'port'>,
  method: string,
  path: string,
  { body, headers = {}, certificate, agent: given }: Call = {},
): Promise<Answer<Envelope>> {
  const full = /^\/(edge|graphql)/.test(path) ? path : `/edge/client/v1${path}`;
  // A session of TLS that is resumed would not show the certificates again.
  const agent =
    given ?? new Agent({ rejectUnauthorized: false, maxCachedSessions: 0, ...certificate });
  return new Promise((resolve, reject) => {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path: full,
        agent,
        headers: { ...(sent === undefined ? {} : bodyHeaders(sent)), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          if (!given) agent.destroy();
          const text = Buffer.concat(chunks).toString('latin1');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: parsed(text) as Envelope,
          });
        });
      },
    );
    request.on('error', reject);
    request.end(sent);
  });
}

/** The length as well: for some methods it is left out unless it is said. */
const bodyHeaders = (sent: string): Headers => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(sent)),
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Status and code, which is all that a failure says. */
export const outcome = ({ status, body }: Answer<Envelope>): [number, string | undefined] => [
  status,
  (body as Partial<Envelope>).error?.code,
];

/** An API session as the interfaces show it, as far as tests look at it. */
export interface SessionView {
  readonly id: string;
  readonly createdAt: string;
  readonly token: string;
  readonly identityId: string;
  readonly authenticatorId: string;
  readonly authQueries: readonly Record<string, unknown>[];
  readonly configTypes: readonly string[];
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
  readonly isCertExtendable: boolean;
  readonly isCertExtendRequested?: boolean;
  readonly improperClientCertChain?: boolean;
  readonly ipAddress: string;
  readonly expirationSeconds: number;
  readonly expiresAt: string;
  readonly lastActivityAt: string;
  readonly cachedLastActivityAt: string;
}

export const sessionIn = (answer: Answer<Envelope>): SessionView => {
  if (answer.status !== 200) throw new Error(`no session: ${answer.text}`);
  return answer.body.data;
};

export const authenticate = (
  controller: Pick<TestController, 'port'>,
  method: string,
  options: Call = {},
): Promise<Answer<Envelope>> => call(controller, 'POST', `/authenticate?method=${method}`, options);

/** A statement against the database of a controller, for states that no operation leads to. */
export async function runSql(
  { databaseUrl }: Pick<TestController, 'databaseUrl'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

export const PASSWORD = 'battery staple';

let counter = 0;

/** A text that no other test of the file has used. */
export const unique = (prefix: string): string => `${prefix}-${String((counter += 1))}`;

export interface Person {
  readonly id: string;
  readonly username: string;
  readonly authenticatorId: string;
}

/** An identity that logs in by password. */
export async function newPerson(
  controller: TestController,
  identity: Record<string, unknown> = {},
): Promise<Person> {
  const username = unique('person');
  const id = await controller.create('identities', {
    name: username,
    type: 'Default',
    isAdmin: false,
    ...identity,
  });
  const authenticatorId = await controller.create('authenticators', {
    identityId: id,
    method: 'updb',
    username,
    password: PASSWORD,
  });
  return { id, username, authenticatorId };
}

export const passwordLogin = (
  controller: Pick<TestController, 'port'>,
  { username }: Pick<Person, 'username'>,
  password = PASSWORD,
): Promise<Answer<Envelope>> =>
  authenticate(controller, 'password', { body: { username, password } });

/** The session of a person who has just logged in. */
export const loggedIn = async (
  controller: Pick<TestController, 'port'>,
  person: Pick<Person, 'username'>,
): Promise<SessionView> => sessionIn(await passwordLogin(controller, person));

export const withToken = (token: string, ...bearers: string[]): { headers: Headers } => ({
  headers: {
    'zt-session': token,
    ...(bearers.length > 0 ? { authorization: bearersOf(bearers) } : {}),
  },
});

export const bearersOf = (tokens: readonly string[]): string[] =>
  tokens.map((token) => `Bearer ${token}`);

type Settings = Record<string, unknown>;

/** An auth policy that allows all, but for what is given. */
export const authPolicy = (change: {
  cert?: Settings;
  extJwt?: Settings;
  updb?: Settings;
  secondary?: Settings;
}): Settings => ({
  name: unique('policy'),
  primary: {
    cert: { allowed: true, allowExpiredCerts: false, ...change.cert },
    extJwt: { allowed: true, allowedSigners: [], ...change.extJwt },
    updb: { ...PLAIN_PASSWORDS, ...change.updb },
  },
  secondary: { requireTotp: false, requireExtJwtSigner: null, ...change.secondary },
});

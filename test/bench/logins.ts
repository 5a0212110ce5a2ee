import pg from 'pg';
import { hashPassword, isPassword } from '../../src/trust/auth/password-hash.js';
import {
  keysOf as keyMaterialOf,
  networkCertificate,
  type ClientCertificate,
} from '../trust/auth/certificates.js';
import { ask, askAnew, CONNECTIONS, drive, inTurn, repeat, type Load } from './load.js';
import {
  byTurns,
  floorPath,
  keysOf,
  login,
  statementsOf,
  type Effort,
  type Measured,
} from './measure.js';
import { SESSION_BY_TOKEN, type HttpRequest } from './reads.js';
import { PASSWORD, type Stage } from './stage.js';
import { unique } from './writes.js';

const CLIENT = '/edge/client/v1';
const MANAGEMENT = '/edge/management/v1';

/** Asked with a session as well as without: what differs is what the session costs. */
const OPEN: HttpRequest = { method: 'GET', path: `${CLIENT}/version` };

/** What one kind of login or of request needs, ready to be repeated. */
export interface Prepared {
  /** One of ours, for the count of statements. */
  readonly one: () => Promise<unknown>;
  readonly ours: (seconds: number) => Promise<Load>;
  readonly floor: (seconds: number) => Promise<Load>;
  /** After all: throws when something else was measured. */
  readonly check?: () => void;
}

export interface LoginKind {
  readonly name: string;
  readonly prepare: (stage: Stage) => Promise<Prepared>;
}

/** Requests on kept connections, against what the same load of another kind gives. */
export const requests = (
  { controller }: Stage,
  next: () => HttpRequest,
  floor: Prepared['floor'],
): Prepared => ({
  one: () => ask(controller, next()),
  ours: (seconds) => drive(controller, next, seconds, ''),
  floor,
});

const openRequests =
  ({ controller }: Stage): Prepared['floor'] =>
  (seconds) =>
    drive(controller, () => OPEN, seconds, '');

const withToken = (token: string): HttpRequest => ({ ...OPEN, token });

/** The floor is the verification alone, in this process, with the parameters of the controller. */
const BY_PASSWORD: LoginKind = {
  name: 'login by password',
  prepare: async (stage) => {
    const hashed = await hashPassword(PASSWORD);
    const request: HttpRequest = {
      method: 'POST',
      path: `${CLIENT}/authenticate?method=password`,
      body: JSON.stringify({ username: 'admin', password: PASSWORD }),
    };
    return requests(
      stage,
      () => request,
      (seconds) => repeat(() => isPassword(hashed, PASSWORD), seconds),
    );
  },
};

/** The floor is a connection with the same certificate that asks for something open. */
const BY_CERTIFICATE: LoginKind = {
  name: 'login by certificate, new connection',
  prepare: async (stage) => {
    const { controller } = stage;
    const certificates = await newCertificates(stage, CONNECTIONS);
    const certificate = inTurn(certificates);
    const request: HttpRequest = {
      method: 'POST',
      path: `${CLIENT}/authenticate?method=cert`,
      body: '{}',
    };
    return {
      one: () => askAnew(controller, request, certificate()),
      ours: (seconds) => repeat(() => askAnew(controller, request, certificate()), seconds),
      floor: (seconds) => repeat(() => askAnew(controller, OPEN, certificate()), seconds),
    };
  },
};

/** Identities with certificates of the network's signer. */
export async function newCertificates(stage: Stage, count: number): Promise<ClientCertificate[]> {
  const token = await login(stage);
  const keys = await keyMaterialOf(stage);
  const create = async (collection: string, entity: object): Promise<string> => {
    const path = `${MANAGEMENT}/${collection}`;
    const request: HttpRequest = { method: 'POST', path, body: JSON.stringify(entity) };
    return (await ask<{ data: { id: string } }>(stage.controller, request, token)).data.id;
  };
  const certificates: ClientCertificate[] = [];
  const createSome = async (): Promise<void> => {
    while (certificates.length < count) {
      const place = certificates.push({ cert: '', key: '' }) - 1;
      const name = unique('holder');
      const identityId = await create('identities', { name, type: 'Device', isAdmin: false });
      const certificate = await networkCertificate(keys, identityId);
      await create('authenticators', { identityId, method: 'cert', certPem: certificate.leaf });
      certificates[place] = certificate;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, createSome));
  return certificates;
}

const WITH_SESSION: LoginKind = {
  name: 'request with a session, against the same without',
  prepare: async (stage) => {
    const token = await login(stage);
    return requests(stage, () => withToken(token), openRequests(stage));
  },
};

const SESSIONS = 100_000;
const REMEMBERED = 2_000;

/** Live sessions straight into the table, those of a large network on a busy day; their tokens. */
export async function openSessions(stage: Stage, count = SESSIONS): Promise<string[]> {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  try {
    await client.query(`insert into api_session
        (id, created_at, updated_at, token, identity_id, authenticator_id, ip_address, last_activity_at)
      select 'bench-' || n, now(), now(), md5('session' || n)::uuid, i.id, 'internal', '127.0.0.1', now()
        from generate_series(1, ${String(count)}) n
        join (select id, row_number() over (order by id) - 1 as place from identity) i
          on i.place = n % ${String(stage.size.identities)}
      on conflict do nothing`);
    await client.query('vacuum analyze api_session');
  } finally {
    await client.end();
  }
  const tokens = await keysOf(
    stage,
    `select token as key from api_session where id like 'bench-%' order by md5(id)`,
  );
  // An open request is answered with any token: this one tells whether they are good.
  const [token = ''] = tokens;
  await ask(stage.controller, { method: 'GET', path: `${CLIENT}/current-identity`, token });
  return tokens;
}

const REMEMBERED_TOKENS: LoginKind = {
  name: `${SESSIONS.toLocaleString('en')} live sessions, remembered tokens`,
  prepare: async (stage) => {
    const tokens = (await openSessions(stage)).slice(0, REMEMBERED);
    for (const token of tokens) await ask(stage.controller, withToken(token));
    return requests(stage, inTurn(tokens.map(withToken)), openRequests(stage));
  },
};

/** The floor is the select of the session, behind the same transport. */
const FIRST_SEEN_TOKENS: LoginKind = {
  name: `${SESSIONS.toLocaleString('en')} live sessions, first-seen tokens`,
  prepare: async (stage) => {
    const tokens = (await openSessions(stage)).slice(REMEMBERED);
    const token = inTurn(tokens);
    const floorToken = inTurn(tokens);
    let used = 0;
    const next = (): HttpRequest => {
      used += 1;
      return withToken(token());
    };
    const floorNext = (): HttpRequest => ({
      method: 'GET',
      path: floorPath(SESSION_BY_TOKEN, floorToken()),
    });
    const { data } = await ask<{ data?: { token: string } }>(stage.floor, floorNext());
    if (data?.token !== tokens[0]) throw new Error('the floor does not find the session');
    return {
      ...requests(stage, next, (seconds) => drive(stage.floor, floorNext, seconds, '')),
      check: () => {
        if (used > tokens.length) throw new Error('tokens were asked with more than once');
      },
    };
  },
};

export const LOGINS: readonly LoginKind[] = [
  BY_PASSWORD,
  BY_CERTIFICATE,
  WITH_SESSION,
  REMEMBERED_TOKENS,
  FIRST_SEEN_TOKENS,
];

export interface LoginResult {
  readonly name: string;
  readonly ours: Measured;
  readonly floor: Measured;
  readonly statements: number;
}

/** More would use up the tokens that nobody has asked with. */
const MAX_SECONDS = 8;

export async function measureLogin(
  stage: Stage,
  { name, prepare }: LoginKind,
  { seconds, rounds }: Effort,
): Promise<LoginResult> {
  const { one, ours, floor, check } = await prepare(stage);
  const statements = await statementsOf(stage, async () => {
    for (let i = 0; i < 20; i += 1) await one();
    return 20;
  });
  const effort = { seconds: Math.min(seconds, MAX_SECONDS), rounds };
  const [measured, least] = await byTurns([ours, floor], effort);
  if (!measured || !least) throw new Error('nothing was measured');
  check?.();
  return { name, ours: measured, floor: least, statements };
}

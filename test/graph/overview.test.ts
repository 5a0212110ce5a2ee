import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import type { Row } from '../../src/base/row.js';
import { sql, type Sql } from '../../src/base/sql.js';
import { controllers as networkControllers } from '../../src/data/rows/controller/index.js';
import { paceOf } from '../../src/kernel/graph/pace.js';
import { issueCertificate } from '../../src/trust/pki/issue-certificate.js';
import { x509 } from '../../src/trust/pki/x509.js';
import { newKey } from '../trust/auth/certificates.js';
import { InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';

/** The front page of a console, in one request. */

const NOW = new Date('2026-05-01T10:30:00.000Z');
const DAY = 86_400_000;
const inDays = (days: number, millis = 0): Date => new Date(NOW.getTime() + days * DAY + millis);

let controller: InProcess;
const { idOf, make, person } = new NamedEntities(() => controller);

const query = <R>(statement: Sql<R>): Promise<R[]> => controller.parts.store.query(statement);

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: () => NOW });
  await makeRouters();
  await makeEnding();
  await makeControllers();
});
afterAll(() => controller.stop());

interface RouterState {
  readonly verified?: boolean;
  readonly present?: boolean;
  readonly disabled?: boolean;
}

/** Edge routers in every state, and a transit router, which does not count. */
async function makeRouters(): Promise<void> {
  const states: Readonly<Record<string, RouterState>> = {
    'on 1': { verified: true, present: true },
    'off 2': { verified: true },
    'off "ü" 1': { verified: true },
    'off 3': { verified: true },
    'new 1': {},
    'new 2': {},
    'disabled 1': { verified: true, present: true, disabled: true },
    'disabled 2': { disabled: true },
  };
  for (const [name, state] of Object.entries(states)) {
    const { verified = false, present = false, disabled = false } = state;
    await make('EdgeRouter', name, { disabled });
    await query(
      sql`update router set is_verified = ${verified}::boolean where name = ${name}::text`,
    );
    if (present) await query(presence(idOf(name)));
  }
  await make('TransitRouter', 'transit', {});
  await query(sql`update router set is_verified = true where name = 'transit'`);
}

const presence = (routerId: string): Sql => sql`insert into router_presence
  (router_id, connection_id, version, hostname, listeners, link_listeners, sync_status, connected_at, lapses_at)
  values (${routerId}::text, 'c', 1, '', '{}', '[]', 'SYNC_DONE', now(), '9999-01-01')`;

async function certificate(name: string, end: Date, isAuthority = false): Promise<string> {
  const privateKey = newKey();
  const made = await issueCertificate(
    {
      subject: [{ CN: [name] }],
      publicKey: createPublicKey(privateKey),
      notBefore: new Date('2020-01-01T00:00:00Z'),
      notAfter: end,
      extensions: [new x509.BasicConstraintsExtension(isAuthority, undefined, true)],
    },
    { privateKey },
  );
  return made.toString();
}

/** Certificates of identities, whose ends are at and beyond the limits of ten days and of five. */
const ENDS: Readonly<Record<string, Date>> = {
  'too long ago': inDays(-5, -1_000),
  'just not too long ago': inDays(-5),
  now: inDays(0),
  'just soon': inDays(10),
  'not soon': inDays(10, 1_000),
};

async function makeEnding(): Promise<void> {
  for (const [name, end] of Object.entries(ENDS)) {
    await person(name);
    const certPem = await certificate(name, end);
    await controller.create('Authenticator', { identityId: idOf(name), method: 'cert', certPem });
  }
  await make('CertificateAuthority', 'theirs', {
    certPem: await certificate('theirs', inDays(1), true),
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    identityRoles: [],
  });
  await make('ExternalJwtSigner', 'login', {
    issuer: 'login',
    audience: 'overlay',
    enabled: true,
    kid: 'one',
    certPem: await certificate('login', inDays(2)),
  });
  await person('invited');
  for (const [method, days] of [
    ['ott', 3],
    ['updb', -3],
  ] as const) {
    const enrollment = { method, identityId: idOf('invited'), username: `invited ${method}` };
    await controller.create('Enrollment', { ...enrollment, expiresAt: inDays(20) });
    await query(
      sql`update enrollment set expires_at = ${inDays(days)}::timestamptz where method = ${method}::text`,
    );
  }
  for (const [name, days] of [
    ['on 1', 4],
    ['transit', 5],
  ] as const) {
    await query(
      sql`update router set not_after = ${inDays(days)}::timestamptz where id = ${idOf(name)}::text`,
    );
  }
  // Those of new routers end at once.
  await query(
    sql`update enrollment set expires_at = ${inDays(-4)}::timestamptz where edge_router_id = ${idOf('new 1')}::text`,
  );
  await query(
    sql`update enrollment set expires_at = ${inDays(11)}::timestamptz
      where expires_at <> ${inDays(-4)}::timestamptz and identity_id is null`,
  );
}

async function makeControllers(): Promise<void> {
  for (const [id, days] of [
    ['first', 6],
    ['second', 400],
  ] as const) {
    const parts = { ctrlAddress: `tls:${id}:6262`, certPem: '', fingerprint: id, apiAddresses: {} };
    const validity = { notBefore: inDays(-1), notAfter: inDays(days) };
    await networkControllers.put(controller.parts.store, { id, ...parts, ...validity }, NOW);
  }
}

async function overview<T = Row>(members: string): Promise<T> {
  const answer = await controller.read<{ overview: T }>(`{ overview { ${members} } }`);
  return answer.overview;
}

describe('routers', () => {
  test('are counted by state, each once', async () => {
    const { routers } = await overview('routers { online offline disabled notEnrolled }');
    expect(routers).toEqual({ online: 1, offline: 3, disabled: 2, notEnrolled: 2 });
    const { counts } = await overview<{ counts: Row }>('counts { edgeRouters }');
    expect(counts.edgeRouters).toBe(1 + 3 + 2 + 2);
  });

  test('that are offline are named, the first by name', async () => {
    const text =
      'routers { few: offlineRouters(first: 2) { id name } offlineRouters { name isOnline } }';
    expect(await overview(text)).toEqual({
      routers: {
        few: [
          { id: idOf('off "ü" 1'), name: 'off "ü" 1' },
          { id: idOf('off 2'), name: 'off 2' },
        ],
        offlineRouters: ['off "ü" 1', 'off 2', 'off 3'].map((name) => ({ name, isOnline: false })),
      },
    });
  });

  test.each([0, 26])('%i of them can not be asked for', async (first) => {
    const { errors } = await controller.graph(
      `{ overview { routers { offlineRouters(first: ${String(first)}) { id } } } }`,
    );
    expect(errors[0]?.code).toBe('COULD_NOT_VALIDATE');
  });
});

interface Expiry {
  readonly kind: string;
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly entityName: string | null;
  readonly notAfter: string;
}

interface Expiries {
  readonly totalCount: number;
  readonly nodes: readonly Expiry[];
}

const expiring = async (args: string): Promise<Expiries> =>
  (
    await overview<{ expiring: Expiries }>(
      `expiring(${args}) { totalCount nodes { kind entityType entityId entityName notAfter } }`,
    )
  ).expiring;

/** The things that end between five days ago and ten days from now, in the order of time. */
const EXPECTED: readonly (readonly [kind: string, type: string, name: string, end: Date])[] = [
  ['IDENTITY_CERTIFICATE', 'Identity', 'just not too long ago', inDays(-5)],
  ['ENROLLMENT', 'EdgeRouter', 'new 1', inDays(-4)],
  ['ENROLLMENT', 'Identity', 'invited', inDays(-3)],
  ['IDENTITY_CERTIFICATE', 'Identity', 'now', inDays(0)],
  ['CERTIFICATE_AUTHORITY', 'CertificateAuthority', 'theirs', inDays(1)],
  ['JWT_SIGNER', 'ExternalJwtSigner', 'login', inDays(2)],
  ['ENROLLMENT', 'Identity', 'invited', inDays(3)],
  ['ROUTER_CERTIFICATE', 'EdgeRouter', 'on 1', inDays(4)],
  ['ROUTER_CERTIFICATE', 'TransitRouter', 'transit', inDays(5)],
  ['SERVER_CERTIFICATE', 'Controller', 'controller-first', inDays(6)],
  ['IDENTITY_CERTIFICATE', 'Identity', 'just soon', inDays(10)],
];

const shown = ({ kind, entityType, entityName, notAfter }: Expiry) => [
  kind,
  entityType,
  entityName,
  new Date(notAfter),
];

describe('what ends', () => {
  const WINDOW = 'within: 10, since: 5';

  test('is listed in the order of time, up to the limits and not beyond', async () => {
    const { nodes, totalCount } = await expiring(WINDOW);
    expect(nodes.map(shown)).toEqual(EXPECTED);
    expect(totalCount).toBe(EXPECTED.length);
    const id = (name: string) => nodes.find(({ entityName }) => entityName === name)?.entityId;
    for (const name of ['now', 'theirs', 'login', 'on 1', 'transit', 'new 1', 'invited']) {
      expect([name, id(name)]).toEqual([name, idOf(name)]);
    }
  });

  test.each([1, 3, 10])('is counted also if only the first %i are listed', async (first) => {
    const { nodes, totalCount } = await expiring(`${WINDOW}, first: ${String(first)}`);
    expect(nodes.map(shown)).toEqual(EXPECTED.slice(0, first));
    expect(totalCount).toBe(EXPECTED.length);
  });

  test('has the keys of the network, by their common names', async () => {
    const { root, signer } = controller.parts.keys;
    const nameIn = (text: string) => /CN=(.*)/.exec(text)?.[1] ?? '';
    const { nodes } = await expiring('within: 3650, since: 0, first: 100');
    const own = nodes.filter(({ entityType }) => entityType === null);
    const ends = [root, signer.cert].map(({ validTo }) => new Date(validTo));
    const expected = [
      ['ROOT', null, nameIn(root.subject), ends[0]],
      ['SIGNER', null, nameIn(signer.cert.subject), ends[1]],
    ].filter(([, , , end]) => (end as Date) <= inDays(3650));
    expect(own.map(shown).sort()).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  test.each(['within: -1', 'within: 3651', 'since: -1', 'first: 0', 'first: 101'])(
    '%s is refused',
    async (args) => {
      const { errors } = await controller.graph(
        `{ overview { expiring(${args}) { totalCount } } }`,
      );
      expect(errors[0]?.code).toBe('COULD_NOT_VALIDATE');
    },
  );

  test('is found for every entity of a page with one end', async () => {
    const same = inDays(200);
    for (const name of ['twin b', 'twin a', 'twin c']) {
      await person(name);
      const certPem = await certificate(name, same);
      await controller.create('Authenticator', { identityId: idOf(name), method: 'cert', certPem });
    }
    const ids = ['twin a', 'twin b', 'twin c'].map(idOf).sort();
    const { nodes } = await expiring('within: 200, since: 0, first: 100');
    const twins = nodes.filter(({ notAfter }) => notAfter === same.toISOString());
    expect(twins.map(({ entityId }) => entityId)).toEqual(ids);
  });
});

describe('controllers', () => {
  const vitals = { version: '1.2.3', processCount: 4 };

  test('tell their release, their processes and how far they lag', async () => {
    const { store } = controller.parts;
    await networkControllers.beat(store, 'first', { ...vitals, feedSilenceMillis: 12_345.6 });
    const { controllers } = await overview<{ controllers: Row[] }>(
      'controllers { id name ctrlAddress version processCount feedSilenceMillis isOnline lastHeartbeatAt }',
    );
    expect(controllers).toEqual([
      {
        ...{ id: 'first', name: 'controller-first', ctrlAddress: 'tls:first:6262', ...vitals },
        ...{ feedSilenceMillis: 12_346, isOnline: true },
        lastHeartbeatAt: expect.stringMatching(/^\d{4}-/),
      },
      {
        ...{ id: 'second', name: 'controller-second', ctrlAddress: 'tls:second:6262' },
        // As of an older release, which stores only that it lives.
        ...{ version: null, processCount: null, feedSilenceMillis: null, isOnline: true },
        lastHeartbeatAt: expect.stringMatching(/^\d{4}-/),
      },
    ]);
  });

  test('may lag for longer than a column can hold', async () => {
    const { store } = controller.parts;
    await networkControllers.beat(store, 'first', { ...vitals, feedSilenceMillis: 1e12 });
    const { controllers } = await overview<{ controllers: Row[] }>(
      'controllers { feedSilenceMillis }',
    );
    expect(controllers[0]).toEqual({ feedSilenceMillis: 2 ** 31 - 1 });
  });

  test('that have stopped in order have no heartbeat', async () => {
    await query(sql`update controller set last_seen_at = 'epoch' where id = 'second'`);
    const { controllers } = await overview<{ controllers: Row[] }>(
      'controllers { lastHeartbeatAt isOnline }',
    );
    expect(controllers[1]).toEqual({ lastHeartbeatAt: null, isOnline: false });
  });
});

describe('findings', () => {
  test('are counted by severity, as the list of findings has them', async () => {
    await make('PostureCheck', 'unused', { typeId: 'DOMAIN', domains: ['example.com'] });
    const { findings } = await controller.read<{
      findings: { nodes: { id: string; severity: string }[] };
    }>('{ findings(first: 500) { nodes { id severity } } }');
    const { nodes } = findings;
    const count = (severity: string, all = nodes) =>
      all.filter((f) => f.severity === severity).length;
    const counted = (all = nodes) => ({
      high: count('HIGH', all),
      medium: count('MEDIUM', all),
      low: count('LOW', all),
    });
    expect(nodes.length).toBeGreaterThan(1);
    const ask = () => overview('findings { high medium low }');
    expect(await ask()).toEqual({ findings: counted() });
    const [muted] = nodes;
    await controller.read('mutation ($id: ID!) { muteFinding(id: $id, reason: "known") { id } }', {
      id: muted?.id,
    });
    expect(await ask()).toEqual({ findings: counted(nodes.slice(1)) });
  });

  test('make a document wait for others, and no other member does', () => {
    const laneOf = (text: string) => paceOf(controller.schema, parse(text)).lane;
    expect(laneOf('{ overview { counts { identities } routers { online } } }')).toBe('ordinary');
    expect(laneOf('{ overview { counts { identities } findings { high } } }')).toBe('background');
    expect(
      laneOf('{ overview { ...f } } fragment f on Overview { ... { a: findings { low } } }'),
    ).toBe('background');
  });

  test('are computed once for several aliases', async () => {
    const one = await controller.graph('{ overview { findings { high } } }');
    const three = await controller.graph(
      '{ overview { findings { high } b: findings { low } } c: overview { findings { low } } }',
    );
    expect(three.statements).toBe(one.statements);
  });
});

const MEMBERS = {
  counts: 'counts { identities edgeRouters services controllers }',
  routers: 'routers { online offlineRouters { id name } }',
  sessions: 'sessions { hour failedLogins }',
  failedLogins: 'failedLogins { total nodes { count identity { name } } }',
  expiring: 'expiring { totalCount nodes { kind entityName } }',
  controllers: 'controllers { id isOnline feedSilenceMillis }',
};

describe('a member', () => {
  test.each(Object.entries(MEMBERS))('%s takes at most two statements', async (_, text) => {
    const { statements, messages } = await controller.graph(`{ overview { ${text} } }`);
    expect(messages).toEqual([]);
    expect(statements).toBeGreaterThan(0);
    expect(statements).toBeLessThanOrEqual(2);
  });

  test('costs nothing when it is not asked for', async () => {
    const { statements } = await controller.graph('{ overview { __typename } }');
    expect(statements).toBe(0);
  });
});

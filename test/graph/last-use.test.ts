import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from '../../src/base/sql.js';
import type { RequestContext } from '../../src/kernel/request/context.js';
import type { InProcess } from '../support/in-process.js';
import { callerOf, InProcessRest } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { settledChange } from '../support/settled-change.js';
import { startTwo, type TwoInProcess } from '../support/two-in-process.js';

/** Lists of access show when it was last used. */

const START = Date.parse('2030-01-01T12:00:00.000Z');
let now = START;
const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();
const passMinutes = (minutes: number): void => {
  now += minutes * 60_000;
};

let two: TwoInProcess;
let controller: InProcess;
let other: InProcess;
let admin: InProcessRest;
const { idOf, make, person, policy } = new NamedEntities(() => controller);

beforeAll(async () => {
  two = await startTwo({ now: () => new Date(now) });
  ({ controller, other } = two);
  for (const name of ['ada', 'bob', 'eve']) await person(name, 'staff');
  for (const name of ['wiki', 'mail']) await make('Service', name, { encryptionRequired: true });
  await policy('staff dials', ['#staff'], ['#all']);
  await policy('ada hosts', [`@${idOf('ada')}`], [`@${idOf('wiki')}`], { type: 'Bind' });
  await make('EdgeRouter', 'gate');
  const all = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
  await make('EdgeRouterPolicy', 'everybody', { ...all, identityRoles: ['#all'] });
  await make('ServiceEdgeRouterPolicy', 'everything', { ...all, serviceRoles: ['#all'] });
  await other.parts.model.load();
  admin = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await admin.stop();
  await two.stop();
});
beforeEach(async () => {
  await controller.parts.store.query(sql`delete from access_use`);
});

/** Stops the clock that measures how long work takes; the result starts it again. */
function stopClock(): () => void {
  const millis = performance.now();
  Object.defineProperty(performance, 'now', { configurable: true, value: () => millis });
  return () => {
    Reflect.deleteProperty(performance, 'now');
  };
}

async function contextOf(name: string, on = controller): Promise<RequestContext> {
  const { id: apiSessionId } = await on.openSession(idOf(name));
  return on.ctx({ ...callerOf(idOf(name)), apiSessionId });
}

const OPEN = `mutation ($id: ID!, $type: String) { openSession(input: { serviceId: $id, type: $type }) { id } }`;

/** Opens a session on the graph, and stores the use. */
async function use(name: string, service: string, type = 'Dial', on = controller): Promise<void> {
  await on.read(OPEN, { id: idOf(service), type }, await contextOf(name, on));
  await on.parts.accessUses.flush();
}

interface Listed {
  readonly identityName: string;
  readonly serviceName: string;
  readonly type: string;
  readonly lastUsedAt: string | null;
}

const NODES = 'nodes { identityName serviceName type lastUsedAt }';

const usedOnes = (nodes: readonly Listed[]): unknown[] =>
  nodes.flatMap(({ identityName, serviceName, type, lastUsedAt }) =>
    lastUsedAt === null ? [] : [[identityName, serviceName, type, lastUsedAt]],
  );

async function listed(args = '', on = controller): Promise<unknown[]> {
  const { accesses } = await on.read<{ accesses: { nodes: Listed[] } }>(
    `{ accesses(first: 100 ${args}) { ${NODES} } }`,
  );
  return usedOnes(accesses.nodes);
}

describe('a session for a service', () => {
  test('sets the last use of its access, on the graph', async () => {
    expect(await listed()).toEqual([]);
    const time = new Date(now).toISOString();
    await use('ada', 'wiki');
    expect(await listed()).toEqual([['ada', 'wiki', 'Dial', time]]);
    passMinutes(5);
    await use('ada', 'wiki', 'Bind');
    const later = new Date(now).toISOString();
    expect(new Set((await listed()).map(String))).toEqual(
      new Set([`ada,wiki,Dial,${time}`, `ada,wiki,Bind,${later}`]),
    );
  });

  test('sets it on REST', async () => {
    const client = await InProcessRest.listen(controller, idOf('bob'));
    const { status } = await client.send('POST', '/edge/client/v1/sessions', {
      serviceId: idOf('mail'),
    });
    await client.stop();
    expect(status).toBe(201);
    await controller.parts.accessUses.flush();
    expect(await listed()).toEqual([['bob', 'mail', 'Dial', new Date(now).toISOString()]]);
  });

  test('that exists counts when its client asks for it again', async () => {
    const ctx = await contextOf('ada');
    const open = () => controller.read(OPEN, { id: idOf('wiki') }, ctx);
    await open();
    passMinutes(7);
    await open();
    await controller.parts.accessUses.flush();
    expect(await listed()).toEqual([['ada', 'wiki', 'Dial', new Date(now).toISOString()]]);
  });

  test('that is refused does not count', async () => {
    const { errors } = await controller.graph(
      OPEN,
      { id: idOf('mail'), type: 'Bind' },
      await contextOf('ada'),
    );
    expect(errors).toHaveLength(1);
    await controller.parts.accessUses.flush();
    expect(await listed()).toEqual([]);
  });

  test('needs no statement more than before', async () => {
    const ctx = await contextOf('eve');
    const { statements } = await controller.graph(OPEN, { id: idOf('wiki') }, ctx);
    const again = await controller.graph(OPEN, { id: idOf('wiki') }, ctx);
    const before = controller.parts.database.statements;
    await controller.parts.accessUses.flush();
    // One statement stores the uses of all requests since the last one.
    expect(controller.parts.database.statements - before).toBe(1);
    expect(again.statements).toBeLessThan(statements);
    const rows = await controller.parts.store.query(sql`select from access_use`);
    expect(rows).toHaveLength(1);
  });
});

test('each controller stores its uses, and shows those of others', async () => {
  const first = new Date(now).toISOString();
  await use('ada', 'wiki');
  passMinutes(1);
  await use('bob', 'wiki', 'Dial', other);
  const second = new Date(now).toISOString();
  for (const on of [controller, other]) {
    expect(new Set((await listed('', on)).map(String))).toEqual(
      new Set([`ada,wiki,Dial,${first}`, `bob,wiki,Dial,${second}`]),
    );
  }
});

describe('the last use', () => {
  test('is shown by an identity, a service and a policy', async () => {
    await use('ada', 'wiki');
    const time = new Date(now).toISOString();
    const { identity, service, servicePolicy } = await controller.read<
      Record<'identity' | 'service' | 'servicePolicy', { access: { nodes: Listed[] } }>
    >(
      `query ($identity: ID!, $service: ID!, $policy: ID!) {
        identity(id: $identity) { access { ${NODES} } }
        service(id: $service) { access { ${NODES} } }
        servicePolicy(id: $policy) { access { ${NODES} } } }`,
      { identity: idOf('ada'), service: idOf('wiki'), policy: idOf('staff dials') },
    );
    for (const { access } of [identity, service, servicePolicy]) {
      expect(usedOnes(access.nodes)).toEqual([['ada', 'wiki', 'Dial', time]]);
    }
  });

  test('is read by one statement for all pairs of a page, under two names and in two lists', async () => {
    await use('ada', 'wiki');
    // Analysis that takes no time makes no pauses, after which a list would come later than the other.
    const startClock = stopClock();
    const ask = async (fields: string): Promise<number> => {
      await controller.forgetRows();
      const { statements, messages } = await controller.graph(
        `{ a: accesses(first: 50) { nodes { identityId ${fields} } }
           b: accesses(first: 50, type: Dial) { nodes { identityId ${fields} } } }`,
      );
      expect(messages).toEqual([]);
      return statements;
    };
    try {
      const least = await ask('');
      expect(await ask('lastUsedAt')).toBe(least + 1);
      expect(await ask('one: lastUsedAt two: lastUsedAt')).toBe(least + 1);
    } finally {
      startClock();
    }
  });

  test('is null for the past, in simulations and in differences', async () => {
    const before = await settledChange(controller);
    await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', {
      id: idOf('staff dials'),
    });
    const gone = await settledChange(controller);
    await policy('staff dials', ['#staff'], ['#all']);
    await use('ada', 'wiki');
    expect(await listed(`at: "${before}"`)).toEqual([]);
    const { data, messages } = await controller.graph(
      `query ($id: ID!, $from: String!) {
        simulate(changes: [{ operation: delete, type: servicePolicy, id: $id }]) {
          lost { ${NODES} } gained { ${NODES} } proveNoLostAccess { counterexample { lastUsedAt } } }
        accessDiff(from: $from) { gained { ${NODES} } lost { ${NODES} } } }`,
      { id: idOf('staff dials'), from: gone },
    );
    expect(messages).toEqual([]);
    expect(data).toMatchObject({
      simulate: { proveNoLostAccess: { counterexample: { lastUsedAt: null } } },
    });
    const text = JSON.stringify(data);
    expect(text).toContain('"lastUsedAt":null');
    expect(text).not.toContain(new Date(now).toISOString());
  });

  test('goes with the access: a pair that gets it again has its earlier use', async () => {
    await use('eve', 'mail');
    const time = new Date(now).toISOString();
    const setRoles = (roleAttributes: string[]) =>
      controller.read(
        'mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }',
        { id: idOf('eve'), input: { roleAttributes } },
      );
    await setRoles([]);
    expect(await listed()).toEqual([]);
    await setRoles(['staff']);
    expect(await listed()).toEqual([['eve', 'mail', 'Dial', time]]);
  });
});

describe('a caller without the permission to read sessions', () => {
  const READ = ['identity.read', 'service.read', 'service-policy.read'];
  const ask = (permissions: readonly string[], fields: string) =>
    controller.graph(
      `{ accesses(first: 100) { nodes { identityId ${fields} } } }`,
      {},
      controller.ctx(callerOf(idOf('eve'), ...permissions)),
    );

  test('is refused it, and gets the rest', async () => {
    await use('ada', 'wiki');
    const { data, errors } = await ask(READ, 'lastUsedAt');
    expect(new Set(errors.map((error) => error?.code))).toEqual(new Set(['UNAUTHORIZED']));
    expect(JSON.stringify(data)).not.toContain(new Date(now).toISOString());
    expect((await ask(READ, '')).errors).toEqual([]);
    expect((await ask([...READ, 'ops.read'], 'lastUsedAt')).errors).toEqual([]);
  });

  test('is refused it on REST as well, and gets the list without', async () => {
    const id = await controller.create('Identity', {
      name: 'auditor',
      type: 'Default',
      isAdmin: false,
      permissions: READ,
    });
    const rest = await InProcessRest.listen(controller, id);
    expect((await rest.get('/accesses?lastUse=true')).status).toBe(401);
    expect((await rest.get('/accesses')).status).toBe(200);
    expect((await rest.get('/accesses?lastUse=maybe')).status).toBe(400);
    await rest.stop();
  });
});

test('a caller without the permission does not learn since when uses are recorded', async () => {
  const ask = (...permissions: string[]) =>
    controller.graph(
      '{ lastUseRecording { recordedSince } }',
      {},
      controller.ctx(callerOf(idOf('eve'), ...permissions)),
    );
  const { errors } = await ask('identity.read', 'service.read');
  expect(errors.map((error) => error?.code)).toEqual(['UNAUTHORIZED']);
  expect((await ask('ops.read')).data).toEqual({ lastUseRecording: { recordedSince: at(0) } });
});

describe('REST', () => {
  const path = (query: string): string => `/accesses?identityId=${idOf('ada')}&type=Dial${query}`;

  test('shows it when it is asked for', async () => {
    await use('ada', 'wiki');
    const time = new Date(now).toISOString();
    const { body } = await admin.get(path('&lastUse=true'));
    const nodes = body.data as { serviceId: string; lastUsedAt: unknown }[];
    expect(
      new Set(nodes.map(({ serviceId, lastUsedAt }) => `${serviceId} ${String(lastUsedAt)}`)),
    ).toEqual(new Set([`${idOf('wiki')} ${time}`, `${idOf('mail')} null`]));
    const { body: without } = await admin.get(path(''));
    expect(JSON.stringify(without.data)).not.toContain('lastUsedAt');
  });

  test('has it in a last column of CSV, and in lines of JSON', async () => {
    await use('ada', 'wiki');
    const time = new Date(now).toISOString();
    const [head, ...rows] = (await admin.text(path('&lastUse=true'), 'text/csv'))
      .trim()
      .split('\r\n');
    expect(head).toBe('identityId,identity,serviceId,service,type,lastUsedAt');
    const row = (service: string, end: string): string =>
      `${idOf('ada')},ada,${idOf(service)},${service},Dial,${end}`;
    expect(rows.sort()).toEqual([row('mail', ''), row('wiki', time)].sort());
    const lines = (await admin.text(path('&lastUse=true'), 'application/x-ndjson'))
      .trim()
      .split('\n');
    const used = lines.map((line) => (JSON.parse(line) as { lastUsedAt: unknown }).lastUsedAt);
    expect(new Set(used)).toEqual(new Set([time, null]));
  });

  test('keeps the columns and lines of clients that do not ask for it', async () => {
    await use('ada', 'wiki');
    const text = await admin.text(path(''), 'text/csv');
    expect(text.split('\r\n')[0]).toBe('identityId,identity,serviceId,service,type');
    expect(await admin.text(path(''), 'application/x-ndjson')).not.toContain('lastUsedAt');
    const declined = await admin.text(path('&lastUse=false'), 'text/csv');
    expect(declined).toBe(text);
  });

  test('tells since when uses are recorded', async () => {
    const { body } = await admin.get('/last-use-recording');
    expect(body.data).toEqual({ recordedSince: at(0) });
  });
});

import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { StoredChangeLog } from '../../../src/data/store/change-log.js';
import { ChangeFeed } from '../../../src/data/store/change-feed.js';
import { DataModelSource } from '../../../src/network/data-model/data-model-source.js';
import { PublishedModel } from '../../../src/network/data-model/published-model.js';
import { encodedChangeSet } from '../../../src/network/data-model/change-sets.js';
import { change, originOf } from '../../../src/kernel/write/write.js';
import { deleteExpiredRevocations, enableOverdue } from '../../../src/trust/auth/index.js';
import { randomWrites, Writer } from '../../data/changes/random-writes.js';
import { pruneUpTo } from '../../data/changes/support.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';
import { costlyRuns } from '../../support/runs.js';
import { settledChange } from '../../support/settled-change.js';
import { StrictRouter } from './strict-router.js';

/** The published model of a database: what routers get from several controllers of it. */

let controller: InProcess;
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(now?: () => Date): Promise<void> {
  controller = await InProcess.start(undefined, now ? { now } : {});
  ends.push(() => controller.stop());
}

/** A model that follows the log, as each controller has one. */
async function publisher(): Promise<PublishedModel> {
  const { database, store } = controller.parts;
  const log = new StoredChangeLog(database);
  const begin = await log.horizon();
  const model = await PublishedModel.load({
    store,
    catalog: controller.catalog,
    timelineId: 'timeline',
    onSets: () => undefined,
  });
  const feed = new ChangeFeed(
    database,
    log,
    begin,
    (changes, isEnd) => {
      model.apply({ changes, isEnd });
    },
    (error) => {
      throw error;
    },
  );
  await feed.start();
  ends.push(() => feed.stop());
  return model;
}

async function insertIdentities(count: number): Promise<void> {
  const client = new pg.Client({ connectionString: controller.url });
  await client.connect();
  await client.query(
    `insert into identity (id, created_at, updated_at, name, type_id, auth_policy_id)
      select 'many-' || n, now(), now(), 'many ' || n, 'Default', 'default'
      from generate_series(1, $1) n`,
    [count],
  );
  await client.end();
}

/** Sends a router the sets behind what it has, or the whole. */
async function serve(router: StrictRouter, model: PublishedModel): Promise<'sets' | 'whole'> {
  const start = router.index > 0 ? await model.startAfter(router.index) : undefined;
  if (!start) {
    router.takeState((await model.fullState()).body);
    return 'whole';
  }
  let { index, previousIndex } = start;
  for (let set = model.after(index); set; set = model.after(index)) {
    router.takeSet(encodedChangeSet(set, previousIndex));
    ({ index } = set);
    previousIndex = index;
  }
  return 'sets';
}

/** A router that has all that a model has published. */
async function whole(model: PublishedModel): Promise<StrictRouter> {
  const router = new StrictRouter();
  await serve(router, model);
  await serve(router, model);
  return router;
}

/** The models have all that is committed. */
async function caughtUp(...models: readonly PublishedModel[]): Promise<void> {
  await controller.create('ConfigType', { name: `mark ${String(Math.random())}` });
  const last = await settledChange(controller);
  const transaction = Number.parseInt(last.slice(4, 20), 16);
  for (const model of models) {
    await eventually(() => {
      expect(model.newest).toBeGreaterThanOrEqual(transaction * 1_024);
    });
  }
}

describe('two controllers', () => {
  test('publish the same sets, so that a router goes on at the other', async () => {
    await start();
    const writer = new Writer(controller);
    await fc.assert(
      fc.asyncProperty(randomWrites(12), async (writes) => {
        const first = await publisher();
        const router = new StrictRouter();
        await serve(router, first);
        for (const write of writes.slice(0, 6)) await writer.make(write);
        await caughtUp(first);
        const second = await publisher();
        expect(await serve(router, first)).toBe('sets');
        for (const write of writes.slice(6)) await writer.make(write);
        await caughtUp(first, second);
        expect(await serve(router, second)).toBe('sets');
        expect(router.index).toBe(first.newest);
        expect(router.state).toEqual((await whole(first)).state);
        expect(router.state).toEqual((await whole(second)).state);
      }),
      costlyRuns(3),
    );
  });
});

describe('a controller that takes over', () => {
  test('sends what a router lacks, although it has read the model after that', async () => {
    await start();
    const before = await publisher();
    await caughtUp(before);
    const router = await whole(before);
    expect(await serve(router, await publisher())).toBe('sets');
    const config = await controller.create('Config', await aConfig());
    const service = await controller.create('Service', {
      ...{ name: 'before', encryptionRequired: true, configs: [config] },
    });
    await rename('Service', service, 'after');
    await caughtUp(before);
    expect(await serve(router, await publisher())).toBe('sets');
    expect(router.entity('service', service)).toMatchObject({ name: 'after', configs: [config] });
    expect(router.state).toEqual((await whole(before)).state);
  });

  test('sends changes of configs of identities as the other one did', async () => {
    await start();
    const config = await controller.create('Config', await aConfig());
    const service = await controller.create('Service', { name: 's', encryptionRequired: true });
    const id = await controller.create('Identity', { name: 'i', type: 'Default', isAdmin: false });
    await settledChange(controller);
    const before = await publisher();
    const router = await whole(before);
    const configs = [{ serviceId: service, configId: config }];
    const edit = (name: string): Promise<unknown> =>
      controller.read(
        `mutation ($id: ID!, $configs: [ServiceConfigInput!]!) { ${name}ServiceConfigs(id: $id, configs: $configs) }`,
        { id, configs },
      );
    await rename('Identity', id, 'j');
    await edit('associate');
    await caughtUp(before);
    expect(await serve(router, before)).toBe('sets');
    const withConfig = router.state;
    await rename('Identity', id, 'k');
    await edit('disassociate');
    await caughtUp(before);
    for (const other of [await publisher(), before]) {
      const another = await whole(other);
      expect(another.state).not.toEqual(withConfig);
      expect(another.state).toEqual((await whole(before)).state);
    }
    expect(await serve(router, await publisher())).toBe('sets');
    expect(router.state).toEqual((await whole(before)).state);
  });

  test('sends the whole after the deletion of a service, which may have had configs of identities', async () => {
    await start();
    const config = await controller.create('Config', await aConfig());
    const service = await controller.create('Service', { name: 's', encryptionRequired: true });
    const id = await controller.create('Identity', { name: 'i', type: 'Default', isAdmin: false });
    await controller.read(
      'mutation ($id: ID!, $configs: [ServiceConfigInput!]!) { associateServiceConfigs(id: $id, configs: $configs) }',
      { id, configs: [{ serviceId: service, configId: config }] },
    );
    await settledChange(controller);
    const before = await publisher();
    const router = await whole(before);
    expect(router.entity('identity', id)).toMatchObject({ serviceConfigs: { [service]: {} } });
    await controller.read('mutation ($id: ID!) { deleteService(id: $id) }', { id: service });
    await caughtUp(before);
    expect(await serve(router, await publisher())).toBe('whole');
    expect(router.entity('identity', id)).toMatchObject({ serviceConfigs: {} });
    expect(router.state).toEqual((await whole(before)).state);
  });

  test('goes on with a router that has an index which this one did not number', async () => {
    await start();
    const before = await publisher();
    const later = await publisher();
    await caughtUp(before, later);
    // Commits of others have numbers as well.
    await controller.create('EdgeRouter', { name: 'nothing for routers' });
    await settledChange(controller);
    const router = await whole(later);
    router.index = (Math.floor(router.index / 1_024) + 1) * 1_024 + 1_023;
    expect(await serve(router, before)).toBe('sets');
    await caughtUp(before, later);
    expect(await serve(router, before)).toBe('sets');
    expect(router.state).toEqual((await whole(later)).state);
    // It has not been reached yet.
    router.index += 1_024 * 1_000_000;
    expect(await serve(router, before)).toBe('whole');
  });
});

describe('a router whose past the log does not keep', () => {
  test('gets the whole', async () => {
    await start();
    const before = await publisher();
    await caughtUp(before);
    const router = await whole(before);
    await controller.create('EdgeRouter', { name: 'nothing for routers' });
    expect(await serve(router, await publisher())).toBe('sets');
    // Feeds that have not read so far would end.
    for (const end of ends.splice(1)) await end();
    await pruneUpTo(controller, await settledChange(controller));
    expect(await serve(router, await publisher())).toBe('whole');
  });
});

describe('changes that come while the whole is built', () => {
  test('are in the sets behind it', async () => {
    await start();
    const model = await publisher();
    await caughtUp(model);
    const first = model.fullState();
    const building = model.fullState([]);
    await controller.create('Service', { name: 'meanwhile', encryptionRequired: true });
    await caughtUp(model);
    const router = new StrictRouter();
    router.takeState((await building).body);
    expect(await serve(router, model)).toBe('sets');
    expect(router.state).toEqual((await whole(await publisher())).state);
    expect((await first).endIndex).toBe((await building).endIndex);
  });
});

describe('changes that come while the model is compared with the database', () => {
  test('wait until it is read', async () => {
    await start();
    await controller.create('ServicePolicy', {
      ...{ name: 'for all', type: 'Dial', semantic: 'AnyOf' },
      ...{ identityRoles: ['#all'], serviceRoles: ['#all'] },
    });
    // Enough for many slices, and for more than one event.
    await insertIdentities(12_000);
    const model = await publisher();
    const progress = { isOver: false };
    const comparing = model.differences().finally(() => {
      progress.isOver = true;
    });
    for (let i = 0; !progress.isOver; i += 1) {
      await controller.create('Identity', { name: String(i), type: 'Default', isAdmin: false });
    }
    await comparing;
    await caughtUp(model);
    expect(await model.differences()).toEqual([]);
  });
});

describe('a commit that others hide', () => {
  test('is not in a model that is read before it is listed, and comes in its place', async () => {
    await start();
    const late = new pg.Client({ connectionString: controller.url });
    await late.connect();
    ends.push(() => late.end());
    await late.query('begin');
    await late.query('select pg_current_xact_id()');
    const service = await controller.create('Service', {
      name: 'hidden',
      encryptionRequired: true,
    });
    const model = await publisher();
    const router = await whole(model);
    expect(JSON.stringify(router.state)).not.toContain(service);
    await late.query('commit');
    await caughtUp(model);
    expect(await serve(router, model)).toBe('sets');
    expect(JSON.stringify(router.state)).toContain(service);
    expect(router.state).toEqual((await whole(await publisher())).state);
  });
});

describe('a change that can not be taken', () => {
  test('ends the model alone, which is read anew', async () => {
    await start();
    const faults: unknown[] = [];
    const { store } = controller.parts;
    const source = new DataModelSource({
      ...{ store, catalog: controller.catalog, timelineId: 'timeline', now: () => new Date() },
      enableOverdue: () => Promise.resolve(),
      keys: () => controller.parts.keys,
      servesRouters: () => true,
      onError: (error) => faults.push(error),
    });
    let told = 0;
    source.listen({ onSets: () => (told += 1), onKeys: () => undefined, haveKeys: () => true });
    const model = await source.model();
    expect(source.position).toEqual({ timeline: 'timeline', index: model.newest });
    source.apply({ changes: [undefined as never], isEnd: true });
    expect(faults).toHaveLength(1);
    expect(told).toBe(1);
    expect(source.position).toBeUndefined();
    expect(await source.model()).not.toBe(model);
  });
});

describe('a revocation', () => {
  test('is in the whole and in the sets, is taken anew, and goes when its time is over', async () => {
    let now = Date.parse('2026-03-01T08:00:00.250Z');
    const clock = (): Date => new Date(now);
    const timeOf = (millis: number): object => ({
      seconds: Math.floor(millis / 1_000),
      nanos: 250_000_000,
    });
    await start(clock);
    const model = await publisher();
    const router = await whole(model);
    const id = randomUUID();
    const revoke = async (type: string): Promise<void> => {
      await controller.read(
        'mutation ($id: ID!, $type: RevocationType!) { revoke(id: $id, type: $type) { id } }',
        { id, type },
      );
      await caughtUp(model);
      expect(await serve(router, model)).toBe('sets');
    };
    await revoke('JTI');
    expect(router.entity('revocation', id)).toMatchObject({ id, type: 'JTI' });
    now += 60_000;
    await revoke('API_SESSION');
    expect(router.entity('revocation', id)).toEqual({
      id,
      type: 'API_SESSION',
      issuedBefore: timeOf(now),
      ExpiresAt: timeOf(now + 86_400_000),
    });
    // Another controller reads it from the table, not from the log.
    const other = await publisher();
    expect((await whole(other)).state).toEqual(router.state);
    expect(await model.differences()).toEqual([]);
    now += 86_400_000 + 60_000;
    await deleteExpiredRevocations(controller.ctx(), originOf(controller.ctx()));
    await caughtUp(model);
    expect(await serve(router, model)).toBe('sets');
    expect(router.entity('revocation', id)).toBeUndefined();
  });

  test('of a session is what routers learn of its end, in the commit of the end', async () => {
    await start();
    const model = await publisher();
    const router = await whole(model);
    const identityId = await controller.create('Identity', {
      ...{ name: 'ada', type: 'Default', isAdmin: false },
    });
    const [ended, deleted] = [
      await controller.openSession(identityId, { oidcClient: 'native' }),
      await controller.openSession(identityId, { oidcClient: 'native' }),
    ];
    await controller.parts.sessions.end(controller.ctx(), originOf(controller.ctx()), ended.id);
    await controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: identityId });
    await caughtUp(model);
    expect(await serve(router, model)).toBe('sets');
    expect(router.entity('identity', identityId)).toBeUndefined();
    expect(router.entity('revocation', identityId)).toMatchObject({ type: 'IDENTITY' });
    expect(router.entity('revocation', ended.id)).toMatchObject({ type: 'API_SESSION' });
    expect(router.entity('revocation', deleted.id)).toBeUndefined();
  });
});

describe('an identity that is disabled for a time', () => {
  test('is enabled when the time is over, in a commit, at whatever controller', async () => {
    let now = Date.parse('2026-03-01T08:00:00.000Z');
    const clock = (): Date => new Date(now);
    await start(clock);
    const id = await controller.create('Identity', {
      name: 'ada',
      type: 'Default',
      isAdmin: false,
    });
    const disable = 'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 1) { id } }';
    await controller.read(disable, { id });
    await settledChange(controller);
    const model = await publisher();
    const routers = [await whole(model), await whole(model)];
    expect(model.overdue(clock())).toEqual([]);
    await enableOverdue(controller.ctx());
    now += 60_000;
    expect(model.overdue(clock())).toEqual([id]);
    await enableOverdue(controller.ctx());
    await caughtUp(model);
    expect(model.overdue(clock())).toEqual([]);
    const other = await publisher();
    for (const [i, router] of routers.entries()) {
      expect(router.entity('identity', id)).toMatchObject({ disabled: true });
      expect(await serve(router, i === 0 ? model : other)).toBe('sets');
      expect(router.entity('identity', id)).toMatchObject({ disabled: false });
    }
  });

  test('stays disabled when it is disabled again', async () => {
    let now = Date.parse('2026-03-01T08:00:00.000Z');
    await start(() => new Date(now));
    const id = await controller.create('Identity', {
      ...{ name: 'ada', type: 'Default', isAdmin: false },
    });
    const disable = (minutes: number): Promise<unknown> =>
      controller.read(
        'mutation ($id: ID!, $m: Int!) { disableIdentity(id: $id, durationMinutes: $m) { id } }',
        { id, m: minutes },
      );
    await disable(1);
    now += 60_000;
    await disable(0);
    await enableOverdue(controller.ctx());
    const { identity } = await controller.read<{ identity: object }>(
      'query ($id: ID!) { identity(id: $id) { disabled disabledUntil } }',
      { id },
    );
    expect(identity).toEqual({ disabled: true, disabledUntil: null });
  });
});

const rename = (resource: 'Identity' | 'Service', id: string, name: string): Promise<void> =>
  change(controller.ctx(), controller.catalog.get(resource), 'update', id, {
    name,
  });

async function aConfig(): Promise<{ name: string; configTypeId: string; data: object }> {
  const configTypeId = await controller.create('ConfigType', { name: 'host' });
  return { name: 'config', configTypeId, data: { port: 1, host: 'a' } };
}

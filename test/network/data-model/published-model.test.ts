import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { controllers } from '../../../src/data/rows/controller/index.js';
import { StoredChangeLog } from '../../../src/data/store/change-log.js';
import { ChangeFeed } from '../../../src/data/store/change-feed.js';
import { DataModelSource } from '../../../src/network/data-model/data-model-source.js';
import { PublishedModel } from '../../../src/network/data-model/published-model.js';
import {
  encodedChangeSet,
  encodedSyntheticSet,
} from '../../../src/network/data-model/change-sets.js';
import { originOf } from '../../../src/kernel/write/write.js';
import { deleteExpiredRevocations } from '../../../src/trust/auth/index.js';
import { fingerprint } from '../../../src/trust/pki/index.js';
import { newAuthority, newLeaf } from '../../trust/auth/certificates.js';
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
async function publisher(now: () => Date = () => new Date()): Promise<PublishedModel> {
  const { database, store } = controller.parts;
  const log = new StoredChangeLog(database);
  const begin = await log.horizon();
  const model = await PublishedModel.load({
    store,
    catalog: controller.catalog,
    timelineId: 'timeline',
    now,
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

describe('a controller that starts again', () => {
  test('sends nothing to a router that has all, and the whole to one that lacks something', async () => {
    await start();
    const before = await publisher();
    await caughtUp(before);
    const router = await whole(before);
    expect(await serve(router, await publisher())).toBe('sets');
    await controller.create('Config', await aConfig());
    await settledChange(controller);
    expect(await serve(router, await publisher())).toBe('whole');
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

describe('the keys of other controllers', () => {
  test('are told when one joins or renews its certificate; a row that can not be read stops none', async () => {
    await start();
    const { store, keys } = controller.parts;
    const router = new StrictRouter();
    let servesRouters = false;
    const source = new DataModelSource({
      ...{ store, catalog: controller.catalog, timelineId: 'timeline', now: () => new Date() },
      keys: () => keys,
      servesRouters: () => servesRouters,
      onError: (error) => {
        throw error;
      },
    });
    source.listen({
      onSets: () => undefined,
      onKeys: (events) => {
        router.takeSet(encodedSyntheticSet(events));
      },
      haveKeys: () => true,
    });
    await source.lookAtKeys();
    expect(router.keys.size).toBe(0);
    servesRouters = true;
    await source.lookAtKeys();
    const own = [...router.keys.keys()];
    const joined = async (id: string, certPem: string): Promise<void> => {
      const times = { notBefore: new Date(0), notAfter: new Date(1) };
      const row = { id, certPem, ctrlAddress: '', fingerprint: id, apiAddresses: {}, ...times };
      await controllers.put(store, row, new Date());
      await source.lookAtKeys();
    };
    const authority = await newAuthority('CA of controllers');
    const certificates = [];
    for (const name of ['first', 'second']) certificates.push(await newLeaf(name, authority));
    await joined('broken', 'no certificate');
    for (const { cert } of certificates) {
      await joined('other', cert);
      const signers = [...router.keys].filter(([kid]) => !own.includes(kid));
      expect(signers).toEqual([[fingerprint(cert), ['JWTValidation', 'ClientX509CertValidation']]]);
    }
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
    const model = await publisher(clock);
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
    const other = await publisher(clock);
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
  test('is enabled when the time is over', async () => {
    let now = Date.parse('2026-03-01T08:00:00.000Z');
    const clock = (): Date => new Date(now);
    await start(clock);
    const id = await controller.create('Identity', {
      name: 'ada',
      type: 'Default',
      isAdmin: false,
    });
    await controller.read(
      'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 1) { id } }',
      { id },
    );
    await settledChange(controller);
    const model = await publisher(clock);
    const router = await whole(model);
    expect(router.entity('identity', id)).toMatchObject({ disabled: true });
    model.lookAtTime();
    expect(await serve(router, model)).toBe('sets');
    expect(router.entity('identity', id)).toMatchObject({ disabled: true });
    now += 60_000;
    model.lookAtTime();
    expect(await serve(router, model)).toBe('sets');
    expect(router.entity('identity', id)).toMatchObject({ disabled: false });
    // Another controller did not number that.
    expect(await serve(router, await publisher(clock))).toBe('whole');
  });
});

async function aConfig(): Promise<{ name: string; configTypeId: string; data: object }> {
  const configTypeId = await controller.create('ConfigType', { name: 'host' });
  return { name: 'config', configTypeId, data: { port: 1, host: 'a' } };
}

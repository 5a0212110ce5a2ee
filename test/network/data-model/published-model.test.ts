import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { change } from '../../../src/kernel/write/write.js';
import { randomWrites, Writer } from '../../data/changes/random-writes.js';
import { pruneUpTo } from '../../data/changes/support.js';
import type { InProcess } from '../../support/in-process.js';
import { costlyRuns } from '../../support/runs.js';
import { settledChange } from '../../support/settled-change.js';
import { ModelStage, serve, whole } from './model-stage.js';
import { StrictRouter } from './strict-router.js';

/** The published model of a database: what routers get from several controllers of it. */

let stage: ModelStage;
let controller: InProcess;

afterEach(() => stage.stop());

async function start(): Promise<void> {
  stage = await ModelStage.start();
  ({ controller } = stage);
}

async function insertIdentities(count: number): Promise<void> {
  const client = await stage.connect();
  await client.query(
    `insert into identity (id, created_at, updated_at, name, type_id, auth_policy_id)
      select 'many-' || n, now(), now(), 'many ' || n, 'Default', 'default'
      from generate_series(1, $1) n`,
    [count],
  );
}

describe('two controllers', () => {
  test('publish the same sets, so that a router goes on at the other', async () => {
    await start();
    const writer = new Writer(controller);
    await fc.assert(
      fc.asyncProperty(randomWrites(12), async (writes) => {
        const first = await stage.publisher();
        const router = new StrictRouter();
        await serve(router, first);
        for (const write of writes.slice(0, 6)) await writer.make(write);
        await stage.caughtUp(first);
        const second = await stage.publisher();
        expect(await serve(router, first)).toBe('sets');
        for (const write of writes.slice(6)) await writer.make(write);
        await stage.caughtUp(first, second);
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
    const before = await stage.publisher();
    await stage.caughtUp(before);
    const router = await whole(before);
    expect(await serve(router, await stage.publisher())).toBe('sets');
    const config = await controller.create('Config', await aConfig());
    const service = await controller.create('Service', {
      ...{ name: 'before', encryptionRequired: true, configs: [config] },
    });
    await rename('Service', service, 'after');
    await stage.caughtUp(before);
    expect(await serve(router, await stage.publisher())).toBe('sets');
    expect(router.entity('service', service)).toMatchObject({ name: 'after', configs: [config] });
    expect(router.state).toEqual((await whole(before)).state);
  });

  test('sends changes of configs of identities as the other one did', async () => {
    await start();
    const config = await controller.create('Config', await aConfig());
    const service = await controller.create('Service', { name: 's', encryptionRequired: true });
    const id = await controller.create('Identity', { name: 'i', type: 'Default', isAdmin: false });
    await settledChange(controller);
    const before = await stage.publisher();
    const router = await whole(before);
    const configs = [{ serviceId: service, configId: config }];
    const edit = (name: string): Promise<unknown> =>
      controller.read(
        `mutation ($id: ID!, $configs: [ServiceConfigInput!]!) { ${name}ServiceConfigs(id: $id, configs: $configs) }`,
        { id, configs },
      );
    await rename('Identity', id, 'j');
    await edit('associate');
    await stage.caughtUp(before);
    expect(await serve(router, before)).toBe('sets');
    const withConfig = router.state;
    await rename('Identity', id, 'k');
    await edit('disassociate');
    await stage.caughtUp(before);
    for (const other of [await stage.publisher(), before]) {
      const another = await whole(other);
      expect(another.state).not.toEqual(withConfig);
      expect(another.state).toEqual((await whole(before)).state);
    }
    expect(await serve(router, await stage.publisher())).toBe('sets');
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
    const before = await stage.publisher();
    const router = await whole(before);
    expect(router.entity('identity', id)).toMatchObject({ serviceConfigs: { [service]: {} } });
    await controller.read('mutation ($id: ID!) { deleteService(id: $id) }', { id: service });
    await stage.caughtUp(before);
    expect(await serve(router, await stage.publisher())).toBe('whole');
    expect(router.entity('identity', id)).toMatchObject({ serviceConfigs: {} });
    expect(router.state).toEqual((await whole(before)).state);
  });

  test('goes on with a router that has an index which this one did not number', async () => {
    await start();
    const before = await stage.publisher();
    const later = await stage.publisher();
    await stage.caughtUp(before, later);
    // Commits of others have numbers as well.
    await controller.create('EdgeRouter', { name: 'nothing for routers' });
    await settledChange(controller);
    const router = await whole(later);
    router.index = (Math.floor(router.index / 1_024) + 1) * 1_024 + 1_023;
    expect(await serve(router, before)).toBe('sets');
    await stage.caughtUp(before, later);
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
    const before = await stage.publisher();
    await stage.caughtUp(before);
    const router = await whole(before);
    await controller.create('EdgeRouter', { name: 'nothing for routers' });
    expect(await serve(router, await stage.publisher())).toBe('sets');
    // Feeds that have not read so far would end.
    await stage.endModels();
    await pruneUpTo(controller, await settledChange(controller));
    expect(await serve(router, await stage.publisher())).toBe('whole');
  });
});

describe('changes that come while the whole is built', () => {
  test('are in the sets behind it', async () => {
    await start();
    const model = await stage.publisher();
    await stage.caughtUp(model);
    const first = model.fullState();
    const building = model.fullState([]);
    await controller.create('Service', { name: 'meanwhile', encryptionRequired: true });
    await stage.caughtUp(model);
    const router = new StrictRouter();
    router.takeState((await building).body);
    expect(await serve(router, model)).toBe('sets');
    expect(router.state).toEqual((await whole(await stage.publisher())).state);
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
    const model = await stage.publisher();
    const progress = { isOver: false };
    const comparing = model.differences().finally(() => {
      progress.isOver = true;
    });
    for (let i = 0; !progress.isOver; i += 1) {
      await controller.create('Identity', { name: String(i), type: 'Default', isAdmin: false });
    }
    await comparing;
    await stage.caughtUp(model);
    expect(await model.differences()).toEqual([]);
  });
});

describe('a commit that others hide', () => {
  test('is not in a model that is read before it is listed, and comes in its place', async () => {
    await start();
    const late = await stage.connect();
    await late.query('begin');
    await late.query('select pg_current_xact_id()');
    const service = await controller.create('Service', {
      name: 'hidden',
      encryptionRequired: true,
    });
    const model = await stage.publisher();
    const router = await whole(model);
    expect(JSON.stringify(router.state)).not.toContain(service);
    await late.query('commit');
    await stage.caughtUp(model);
    expect(await serve(router, model)).toBe('sets');
    expect(JSON.stringify(router.state)).toContain(service);
    expect(router.state).toEqual((await whole(await stage.publisher())).state);
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

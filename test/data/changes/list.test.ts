import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callerOf, InProcess, InProcessRest } from '../../support/in-process.js';
import { changesOf, commit, openTransaction, pruneUpTo, settled } from './support.js';

/** The change log as administrators and others read it. */

const START = Date.parse('2026-05-01T08:00:00.000Z');

let now = START;
let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: () => new Date(now) });
});
afterAll(() => controller.stop());

let count = 0;
const newService = (name = `service ${String(++count)}`): Promise<string> =>
  controller.create('Service', { name, encryptionRequired: true });

const rename = (id: string, name: string, ctx = controller.ctx()): Promise<unknown> =>
  controller.read(
    'mutation ($id: ID!, $name: String!) { updateService(id: $id, input: { name: $name }) { id } }',
    { id, name },
    ctx,
  );

describe('a change', () => {
  test('says who did what, when, from where, and what differs field by field', async () => {
    const actor = await controller.create('Identity', {
      name: 'ada',
      type: 'Default',
      isAdmin: true,
    });
    const { id: apiSessionId } = await controller.openSession(actor);
    const ctx = controller.ctx({
      ...callerOf(actor),
      apiSessionId,
      isAdmin: true,
    });
    const service = await newService('before');
    now += 60_000;
    await rename(service, 'after', ctx);
    const [, change] = await settled(controller, service, 2);
    expect(change).toMatchObject({
      at: new Date(now).toISOString(),
      type: 'Service',
      entityId: service,
      entityName: 'after',
      operation: 'update',
      revision: 2,
      actorId: actor,
      actor: { id: actor, name: 'ada' },
      apiSessionId: createHash('sha256').update(apiSessionId).digest('hex').slice(0, 20),
      address: '127.0.0.1',
      requestId: ctx.requestId,
      importId: null,
      before: { name: 'before', revision: 1 },
      after: { name: 'after', revision: 2 },
      fields: [{ name: 'name', before: 'before', after: 'after' }],
    });
  });

  test('keeps the id of an actor that is gone', async () => {
    const actor = await controller.create('Identity', {
      name: 'gone',
      type: 'Default',
      isAdmin: true,
    });
    const { id: apiSessionId } = await controller.openSession(actor);
    const service = await newService();
    await rename(
      service,
      'by gone',
      controller.ctx({ ...callerOf(actor), apiSessionId, isAdmin: true }),
    );
    await controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: actor });
    const [, change] = await settled(controller, service, 2);
    expect(change).toMatchObject({ actorId: actor, actor: null });
  });

  test('of a new and of a deleted entity has one state', async () => {
    const service = await newService('brief');
    await controller.read('mutation ($id: ID!) { deleteService(id: $id) }', { id: service });
    const [created, deleted] = await settled(controller, service, 2);
    expect([created?.entityName, deleted?.entityName]).toStrictEqual(['brief', 'brief']);
    expect(created).toMatchObject({ operation: 'create', before: null, after: { name: 'brief' } });
    expect(created?.fields).toContainEqual({ name: 'name', before: null, after: 'brief' });
    expect(deleted).toMatchObject({ operation: 'delete', before: { name: 'brief' }, after: null });
    expect(deleted?.fields).toContainEqual({ name: 'name', before: 'brief', after: null });
  });

  test('is found by the name of the entity; entities without names have none', async () => {
    const service = await newService('found by name');
    await settled(controller, service);
    const named = await changesOf(controller, { filter: 'entityName = "found by name"' });
    expect(named.map(({ entityId }) => entityId)).toStrictEqual([service]);
    const { id } = await controller.openSession(await controller.defaultAdminId());
    const [session] = await settled(controller, id);
    expect(session).toMatchObject({ type: 'ApiSession', entityName: null });
  });

  test('is read by its id on both doors', async () => {
    const service = await newService('read alone');
    const [change] = await settled(controller, service);
    await expect(
      controller.read('query ($id: ID!) { change(id: $id) { entityId type } }', { id: change?.id }),
    ).resolves.toStrictEqual({ change: { entityId: service, type: 'Service' } });
    const rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
    try {
      const one = await rest.get(`/changes/${String(change?.id)}`);
      expect([one.status, one.body.data]).toMatchObject([
        200,
        { entityId: service, after: { name: 'read alone' } },
      ]);
      const list = await rest.get(`/changes?filter=${encodeURIComponent(`entityId="${service}"`)}`);
      expect(list.body.data).toMatchObject([{ id: change?.id }]);
      expect(list.body.meta.filterableFields).toEqual(
        expect.arrayContaining(['id', 'at', 'type', 'entityId', 'operation', 'actorId']),
      );
      const old = await rest.get(`/changes?since=${'0'.repeat(36)}`);
      expect([old.status, old.body.error.code]).toStrictEqual([410, 'HISTORY_NOT_KEPT']);
    } finally {
      await rest.stop();
    }
  });
});

describe('the list', () => {
  test('is in the order of the log, and goes on since a change or a time', async () => {
    const [first, second, third] = [await newService(), await newService(), await newService()];
    const [change] = await settled(controller, first);
    await settled(controller, third);
    const following = await changesOf(controller, { since: change?.id, first: 2 });
    expect(following.map(({ entityId }) => entityId)).toStrictEqual([second, third]);
    const { id } = following[0] ?? {};
    expect((await changesOf(controller, { since: id, first: 1 }))[0]?.entityId).toBe(third);
    now += 1_000;
    const later = await newService();
    await settled(controller, later);
    const since = new Date(now - 1).toISOString();
    expect((await changesOf(controller, { since })).map(({ entityId }) => entityId)).toStrictEqual([
      later,
    ]);
  });

  test('shows nothing that a late commit could still get before', async () => {
    const early = await openTransaction(controller.url, 'early');
    const late = await newService();
    const shown = await changesOf(controller, { filter: `entityId in ["early", "${late}"]` });
    expect(shown).toStrictEqual([]);
    await commit(early);
    const [, behind] = [await settled(controller, 'early'), await settled(controller, late)];
    const both = await changesOf(controller, { filter: `entityId in ["early", "${late}"]` });
    expect(both.map(({ entityId }) => entityId)).toStrictEqual(['early', late]);
    expect(both[1]?.id).toBe(behind[0]?.id);
  });

  test.each(['nonsense', '', '2026-99-99', '12'])('refuses to begin at %j', async (since) => {
    const { errors } = await controller.graph(`{ changes(since: "${since}") { totalCount } }`);
    expect(errors[0]).toMatchObject({ code: 'COULD_NOT_VALIDATE', detail: { field: 'since' } });
  });

  test('shows what was logged before a restore, and refuses to go on from there', async () => {
    const service = await newService();
    const [change] = await settled(controller, service);
    const other = await InProcess.start();
    try {
      await other.parts.database.pool.query(
        `insert into change (epoch, xid, at, entity_type, entity_id, operation, revision)
         values (1, 9000000000000000, now(), 'Service', 'of old', 'create', 1)`,
      );
      await other.parts.database.pool.query('update network_record set epoch = 2');
      const [old] = await settled(other, 'of old');
      expect(old?.id).toMatch(/^0001/);
      const refused = await other.graph(`{ changes(since: "${String(old?.id)}") { totalCount } }`);
      expect(refused.errors[0]?.code).toBe('HISTORY_NOT_KEPT');
    } finally {
      await other.stop();
    }
    expect(change?.id).toMatch(/^[0-9a-f]{36}$/);
  });
});

describe('what a caller sees', () => {
  test('takes the permission to read changes, and is of types that it may read', async () => {
    const service = await newService();
    const config = await controller.create('ConfigType', { name: 'seen by some' });
    await settled(controller, service);
    await settled(controller, config);
    const seen = async (...permissions: string[]): Promise<string[]> => {
      const ctx = controller.ctx(callerOf('somebody', ...permissions));
      const list = await changesOf(
        controller,
        { filter: `entityId in ["${service}", "${config}"]` },
        ctx,
      );
      return list.map(({ type }) => type);
    };
    await expect(seen('service')).rejects.toThrow(/not authorized/);
    expect(await seen('change.read')).toStrictEqual([]);
    expect(await seen('change', 'service.read')).toStrictEqual(['Service']);
    expect(await seen('admin_readonly')).toStrictEqual(['Service', 'ConfigType']);
    const [change] = await settled(controller, config);
    const alone = await controller.graph(
      'query ($id: ID!) { change(id: $id) { type } }',
      { id: change?.id },
      controller.ctx(callerOf('somebody', 'change.read', 'service')),
    );
    expect(alone.errors[0]?.code).toBe('NOT_FOUND');
  });
});

describe('what was pruned', () => {
  test('is remembered: nobody goes on from before it', async () => {
    const [first, second, third] = [await newService(), await newService(), await newService()];
    const ids = [];
    for (const id of [first, second, third]) ids.push((await settled(controller, id))[0]?.id ?? '');
    await pruneUpTo(controller, String(ids[1]));
    const since = async (place: string | undefined): Promise<unknown> => {
      const { errors, data } = await controller.graph(
        'query ($place: String) { changes(since: $place, first: 1) { nodes { entityId } } }',
        { place: place ?? null },
      );
      return errors[0]?.code ?? data?.changes;
    };
    expect(await since(ids[0])).toBe('HISTORY_NOT_KEPT');
    expect(await since(ids[1])).toStrictEqual({ nodes: [{ entityId: third }] });
    expect(await since(new Date(START).toISOString())).toBe('HISTORY_NOT_KEPT');
    // Also where nothing is left to be read.
    await pruneUpTo(controller, String(ids[2]));
    expect(await since(ids[0])).toBe('HISTORY_NOT_KEPT');
    expect(await since(ids[2])).toStrictEqual({ nodes: [] });
    // A place that the log has not come to is of another history.
    expect(await since(`0001${'f'.repeat(32)}`)).toBe('HISTORY_NOT_KEPT');
  });

  test('leaves revisions growing under an id that is used again', async () => {
    const router = await controller.create('EdgeRouter', {
      name: 'tunneler',
      isTunnelerEnabled: true,
    });
    const revisionOf = async (): Promise<number> =>
      (
        await controller.read<{ identity: { revision: number } }>(
          'query ($id: ID!) { identity(id: $id) { revision } }',
          { id: router },
        )
      ).identity.revision;
    const tunnel = (isTunnelerEnabled: boolean): Promise<unknown> =>
      controller.read(
        'mutation ($id: ID!, $on: Boolean!) { updateEdgeRouter(id: $id, input: { isTunnelerEnabled: $on }) { id } }',
        { id: router, on: isTunnelerEnabled },
      );
    const before = await revisionOf();
    await tunnel(false);
    const [last] = (await settled(controller, router, 3)).slice(-1);
    await pruneUpTo(controller, String(last?.id));
    await tunnel(true);
    expect(await revisionOf()).toBeGreaterThan(before + 1);
  });
});

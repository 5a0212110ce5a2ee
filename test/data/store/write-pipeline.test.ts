import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { failure } from '../../../src/base/errors.js';
import type { Row } from '../../../src/base/row.js';
import { sql, type Sql } from '../../../src/base/sql.js';
import { createIn, originOf } from '../../../src/kernel/write/write.js';
import { eventually } from '../../support/eventually.js';
import { callerOf, InProcess } from '../../support/in-process.js';

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const query = <R>(statement: Sql<R>): Promise<R[]> => controller.parts.database.query(statement);

const changesOf = (id: string): Promise<Row[]> =>
  query(
    sql<Row>`select epoch, entity_type, operation, revision, before, after, actor_id, api_session_id, address,
      request_id, import_id, xid::text as xid from change where entity_id = ${id}::text order by epoch, xid, seq`,
  );

const PERSON = { type: 'Default', isAdmin: false };

describe('a write', () => {
  test('leaves a change record with who, when and what', async () => {
    const ctx = { ...controller.ctx(callerOf('somebody', 'identity')), importId: 'import-1' };
    const id = await createIn_(ctx, 'Identity', {
      ...PERSON,
      name: 'ada',
      roleAttributes: ['b', 'a'],
    });
    const [created, ...others] = await changesOf(id);
    expect(others).toStrictEqual([]);
    expect(created).toMatchObject({
      epoch: 1,
      entity_type: 'Identity',
      operation: 'create',
      revision: 1,
      before: null,
      after: { name: 'ada', roleAttributes: ['a', 'b'], revision: 1 },
      actor_id: 'somebody',
      // The first 20 hex characters of the SHA-256 of `none`.
      api_session_id: '140bedbf9c3f6d56a984',
      address: '127.0.0.1',
      request_id: ctx.requestId,
      import_id: 'import-1',
    });
    await controller.read(
      'mutation ($id: ID!) { updateIdentity(id: $id, input: { tags: { a: 1 } }) { id } }',
      { id },
    );
    await controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id });
    const [, updated, deleted] = await changesOf(id);
    expect(updated).toMatchObject({
      operation: 'update',
      revision: 2,
      before: { tags: {}, revision: 1 },
      after: { tags: { a: 1 }, revision: 2 },
      import_id: null,
    });
    expect(deleted).toMatchObject({
      operation: 'delete',
      revision: 3,
      before: { tags: { a: 1 } },
      after: null,
    });
    expect(BigInt(String(deleted?.xid))).toBeGreaterThan(BigInt(String(created?.xid)));
  });

  test('records everything that it changes on the way, under one transaction', async () => {
    const router = await controller.create('EdgeRouter', { name: 'r', isTunnelerEnabled: true });
    const all = await query(
      sql<Row>`select entity_type, operation, xid::text as xid from change
        where xid in (select xid from change where entity_id = ${router}::text) order by seq`,
    );
    expect(new Set(all.map((c) => c.xid)).size).toBe(1);
    expect(all.map((c) => `${String(c.operation)} ${String(c.entity_type)}`).sort()).toStrictEqual([
      'create EdgeRouter',
      'create EdgeRouterPolicy',
      'create Enrollment',
      'create Identity',
    ]);
  });

  test('drops ids of what goes from the lists that name it, and records that', async () => {
    const identity = await controller.create('Identity', { ...PERSON, name: 'named' });
    const policy = await controller.create('ServicePolicy', {
      name: 'names it',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`@${identity}`, '#x'],
      serviceRoles: [],
    });
    await controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: identity });
    const changes = await changesOf(policy);
    expect(changes.at(-1)).toMatchObject({
      operation: 'update',
      revision: 2,
      after: { identityRoles: ['#x'] },
    });
  });

  const createIn_ = (
    ctx: ReturnType<InProcess['ctx']>,
    resource: string,
    input: Row,
  ): Promise<string> =>
    controller.parts.store.write(originOf(ctx), (tx) =>
      createIn(ctx, tx, controller.catalog.get(resource), input),
    );
});

describe('a write that fails', () => {
  const counts = async (): Promise<Row | undefined> =>
    (
      await query(
        sql<Row>`select (select count(*)::int from identity) as identities, (select count(*)::int from change) as changes`,
      )
    )[0];

  test('in its last step leaves nothing behind, in the database and in memory', async () => {
    const before = [await counts(), await total()];
    const ctx = controller.ctx();
    const identities = controller.catalog.resources.Identity;
    await expect(
      controller.parts.store.write(originOf(ctx), async (tx) => {
        await createIn(ctx, tx, identities, { ...PERSON, name: 'ghost' });
        throw failure('FORBIDDEN');
      }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect([await counts(), await total()]).toStrictEqual(before);
  });

  test('in a hook after the row was written leaves nothing behind', async () => {
    const before = [await counts(), await total()];
    // The enrollment of the new identity names an authority that does not exist.
    const { errors } = await controller.graph(
      'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { id } }',
      { input: { ...PERSON, name: 'ghost', enrollment: { ottca: 'nothing' } } },
    );
    expect(errors).toHaveLength(1);
    expect([await counts(), await total()]).toStrictEqual(before);
  });

  test('since others have deleted the row says that there is none', async () => {
    const identities = controller.catalog.resources.Identity;
    await expect(
      controller.parts.store.write(originOf(controller.ctx()), (tx) =>
        tx.update(identities, 'gone', { name: 'late' }),
      ),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('in the database leaves nothing behind', async () => {
    const before = await counts();
    const ctx = controller.ctx();
    const identities = controller.catalog.resources.Identity;
    await expect(
      controller.parts.store.write(originOf(ctx), async (tx) => {
        await createIn(ctx, tx, identities, { ...PERSON, name: 'twice' });
        await createIn(ctx, tx, identities, { ...PERSON, name: 'twice' });
      }),
    ).rejects.toMatchObject({ code: 'COULD_NOT_VALIDATE', detail: { field: 'name' } });
    expect(await counts()).toStrictEqual(before);
  });

  test('is told so by the commit, which does not wait for the answer to the last write', async () => {
    const { database, store } = controller.parts;
    const ctx = controller.ctx();
    const other = new pg.Client({ connectionString: controller.url });
    await other.connect();
    try {
      // The name is taken as soon as this transaction commits; until then others wait for it.
      await other.query('begin');
      await other.query(
        `insert into config_type (id, created_at, updated_at, name)
          values ('other', now(), now(), 'taken')`,
      );
      const texts: string[] = [];
      database.watch = (text) => {
        texts.push(text);
        return undefined;
      };
      const writing = store.write(originOf(ctx), (tx) =>
        createIn(ctx, tx, controller.catalog.resources.ConfigType, { name: 'taken' }),
      );
      writing.catch(() => undefined);
      await eventually(() => {
        expect(texts).toContain('commit');
      });
      await other.query('commit');
      await expect(writing).rejects.toMatchObject({
        code: 'COULD_NOT_VALIDATE',
        detail: { field: 'name' },
      });
    } finally {
      database.watch = undefined;
      await other.end();
      await query(sql`delete from config_type where id = 'other'`);
    }
  });

  const total = async (): Promise<number> =>
    (await controller.read<{ identities: { totalCount: number } }>('{ identities { totalCount } }'))
      .identities.totalCount;
});

describe('secrets', () => {
  test('never reach the change log', async () => {
    const identity = await controller.create('Identity', {
      ...PERSON,
      name: 'secretive',
      enrollment: { ott: true },
    });
    const password = 'a very secret password';
    await controller.create('Authenticator', {
      identityId: identity,
      method: 'updb',
      username: 'secretive',
      password,
    });
    await controller.create('EdgeRouter', { name: 'with enrollment', isTunnelerEnabled: false });
    const { token } = await controller.openSession(identity);
    const kept = await query(
      sql<{
        secret: unknown;
      }>`select password_hash as secret from authenticator where password_hash is not null
        union all select token from enrollment union all select jwt from enrollment
        union all select token from api_session`,
    );
    expect(kept.length).toBeGreaterThan(5);
    const [log] = await query(
      sql<{
        text: string;
      }>`select string_agg(coalesce(before::text, '') || coalesce(after::text, ''), '') as text from change`,
    );
    const text = log?.text ?? '';
    expect(text).toContain('secretive');
    for (const { secret } of [...kept, { secret: token }, { secret: password }]) {
      expect(text.includes(String(secret))).toBe(false);
    }
  });

  test('are no attributes of the log under any name', () => {
    const logged = [...controller.catalog.all()].flatMap((resource) =>
      [...resource.attributes.values()]
        .filter(
          (a) =>
            a.unlogged !== true &&
            a.inputOnly !== true &&
            a.compute === undefined &&
            a.sql === undefined,
        )
        .map((a) => `${resource.name}.${a.name}`),
    );
    const suspicious = /\.\w*(password|secret|token|jwt|hash|privatekey)/i;
    expect(logged.filter((name) => suspicious.test(name)).sort()).toStrictEqual([
      // Kinds of tokens, not tokens.
      'AuthenticationSigner.enrollToTokenEnabled',
      'AuthenticationSigner.targetToken',
      // Shown to whoever reads the authority; the proof is a certificate with it.
      'CertificateAuthority.verificationToken',
      'ExternalJwtSigner.enrollToTokenEnabled',
      'ExternalJwtSigner.targetToken',
    ]);
  });
});

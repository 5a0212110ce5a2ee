import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeWith } from '../../support/store-with.js';
import { callerOf, InProcess } from '../../support/in-process.js';
import { failure } from '../../../src/base/errors.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import { importNetwork } from '../../../src/inventory/transfer/index.js';
import { ownNetwork, type Document } from './network.js';
import {
  actionFor,
  exported,
  IMPORT,
  imported,
  mustImport,
  totals,
  type Imported,
} from './transfers.js';

let network: InProcess;
let document: Document;
let first: Imported;

const ENTITIES = 25;

beforeAll(async () => {
  network = await InProcess.start();
  document = await ownNetwork();
  const dry = await imported(network, document, true);
  expect(totals(dry)).toMatchObject({ created: ENTITIES, skipped: 1 });
  expect(await exported(network)).toMatchObject({ services: [], identities: [{ name: 'admin' }] });
  first = await mustImport(network, document);
});

afterAll(() => network.stop());

const rows = async <T>(text: string, values: unknown[] = []): Promise<T[]> => {
  const result = await network.parts.database.pool.query(text, values);
  return result.rows as T[];
};

const person = (name: string, more: object = {}) => ({
  name,
  typeId: 'Default',
  isAdmin: false,
  ...more,
});

const usedBy = (role: string) => ({ name: `by ${role}`, semantic: 'AnyOf', identityRoles: [role] });

describe('an import', () => {
  it('creates what is missing and tells so section by section', () => {
    expect(totals(first)).toEqual({
      created: ENTITIES,
      updated: 0,
      unchanged: 0,
      skipped: 1,
      failed: 0,
    });
    expect(first.summary.find(({ type }) => type === 'services')).toMatchObject({ created: 2 });
  });

  it('finds all of it unchanged the next time', async () => {
    const again = await mustImport(network, document);
    expect(totals(again)).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: ENTITIES,
      skipped: 1,
    });
    const changes = await rows('select from change where import_id = $1', [again.importId]);
    expect(changes).toEqual([]);
  });

  it('changes what differs, keeps what the document leaves out, and deletes nothing', async () => {
    const changed = { services: [{ name: 'web', encryptionRequired: true, tags: { v: 2 } }] };
    const dry = await imported(network, changed, true);
    expect(actionFor(dry, 'services', 'web')).toBe('updated');
    expect(totals(await mustImport(network, changed))).toMatchObject({ created: 0, updated: 1 });
    const { services } = await exported(network, ['service']);
    expect(services).toMatchObject([
      { name: 'plain text' },
      { name: 'web', tags: { v: 2 }, roleAttributes: ['front'], terminatorStrategy: 'weighted' },
    ]);
    await mustImport(network, { services: [{ ...document.services?.[0], tags: {} }] });
  });

  it('leaves one import id in all of its change records, and 500 entities in a transaction', async () => {
    const many = Array.from({ length: 1_200 }, (_, i) => person(`many-${String(i)}`));
    const { importId } = await mustImport(network, { identities: many });
    const found = await transactionsOf(importId);
    expect(total(found)).toBe(1_200);
    expect(Math.max(...found.map(({ count }) => count))).toBeLessThanOrEqual(500);
  });

  it('goes on in smaller transactions where one takes too long', async () => {
    const many = Array.from({ length: 1_200 }, (_, i) => person(`slow-${String(i)}`));
    const importId = '0f0e0d0c-0000-4000-8000-000000000004';
    const ctx = { ...refusing(network.ctx(), (nth) => nth === 1, 'TIMEOUT'), importId };
    const { failure: broken } = await importNetwork(
      ctx,
      { identities: many },
      false,
      () => undefined,
    );
    expect(broken).toBeNull();
    const found = await transactionsOf(importId);
    expect(total(found)).toBe(1_200);
    expect(Math.max(...found.map(({ count }) => count))).toBeLessThanOrEqual(250);
  });

  it('goes on after a break where it ended', async () => {
    const many = Array.from({ length: 1_100 }, (_, i) => person(`broken-${String(i)}`));
    const importId = '0f0e0d0c-0000-4000-8000-000000000001';
    const ctx = { ...refusing(network.ctx(), (nth) => nth > 1, 'UNAVAILABLE'), importId };
    const broken = await importNetwork(ctx, { identities: many }, false, () => undefined);
    expect(broken.failure).toContain('import again to go on');
    const created = total(await transactionsOf(importId));
    expect(broken.summary).toMatchObject([
      { type: 'identities', created, failed: 1_100 - created },
    ]);
    const again = await mustImport(network, { identities: many });
    expect(totals(again)).toMatchObject({
      created: 1_100 - created,
      unchanged: created,
      failed: 0,
    });
  });

  it.each([0, 500])(
    'goes on when another import of the same document has written after %i entities were read',
    async (written) => {
      const many = Array.from({ length: 1_100 }, (_, i) =>
        person(`twice-${String(written)}-${String(i)}`),
      );
      const other = { identities: many.slice(0, written + 10) };
      const importId = `0f0e0d0c-0000-4000-8000-00000000001${String(written / 500)}`;
      const ctx = network.ctx();
      const { store } = ctx;
      let transactions = 0;
      const overtaken = storeWith(store, {
        write: async (origin, work) => {
          if (transactions * 500 === written) await mustImport(network, other);
          transactions += 1;
          return store.write(origin, work);
        },
      });
      const document = { identities: many };
      const ctxOvertaken = { ...ctx, store: overtaken, importId };
      const result = await importNetwork(ctxOvertaken, document, false, () => undefined);
      expect(result).toMatchObject({ failure: null, faultCount: 0 });
      expect(result.summary).toMatchObject([
        { type: 'identities', created: 1_090, unchanged: 10, failed: 0 },
      ]);
      expect(total(await transactionsOf(importId))).toBe(1_090);
    },
  );

  it('breaks off when it is refused again and again', async () => {
    const importId = '0f0e0d0c-0000-4000-8000-000000000020';
    const ctx = { ...refusing(network.ctx(), () => true, 'NOT_FOUND'), importId };
    const document = { identities: [person('refused again')] };
    const { failure: broken, summary } = await importNetwork(ctx, document, false, () => undefined);
    expect(broken).toContain('import again to go on');
    expect(summary).toMatchObject([{ created: 0, failed: 1 }]);
  });

  it('tells how far it is, and that it does not know of others', async () => {
    const importId = '0f0e0d0c-0000-4000-8000-000000000002';
    await network.read(IMPORT, { document, importId });
    const text = 'query ($id: ID!) { importProgress(importId: $id) { phase done total } }';
    expect(await network.read(text, { id: importId })).toEqual({
      importProgress: { phase: 'done', done: 0, total: 0 },
    });
    expect(await network.read(text, { id: 'another' })).toEqual({ importProgress: null });
  });

  it('takes empty sections and null for none', async () => {
    const result = await mustImport(network, { services: null, configs: [] });
    expect(result.summary).toEqual([]);
  });

  it.each([
    ['importNetwork', 'mutation { importNetwork(document: {}) { importId } }'],
    ['importProgress', '{ importProgress(importId: "x") { done } }'],
    ['exportNetwork', '{ exportNetwork }'],
  ])('is for administrators: %s', async (_, text) => {
    for (const ctx of [network.ctx(callerOf('x', 'admin_readonly')), network.anonymous()]) {
      const { errors } = await network.graph(text, {}, ctx);
      expect(errors.map((error) => error?.code)).toEqual(['UNAUTHORIZED']);
    }
  });
});

describe('the routers of an import', () => {
  it('bring their identities and system policies under ids of this network', async () => {
    const [policy] = await rows<{ name: string; identity_roles: string[] }>(
      `select p.name, p.identity_roles, i.role_attributes from edge_router_policy p
       join router r on r.id = p.id join identity i on i.id = r.id where r.name = 'gate'`,
    );
    const [router] = await rows<{ id: string }>(`select id from router where name = 'gate'`);
    const id = router?.id ?? '';
    expect(policy).toEqual({
      name: `edge-router-${id}-system`,
      identity_roles: [`@${id}`],
      role_attributes: ['host'],
    });
    expect(actionFor(first, 'identities', 'gate')).toBe('created');
    expect(actionFor(first, 'edgeRouterPolicies', 'edge-router-D98X8WmjYH-system')).toBe('skipped');
    const foreign = await rows(`select from edge_router_policy where name like '%D98X8WmjYH%'`);
    expect(foreign).toEqual([]);
  });

  it('get enrollments of their own', async () => {
    const found = await rows<{ token: string }>(
      `select n.token from enrollment n join router r on r.id = n.edge_router_id where r.name = 'gate'`,
    );
    expect(found).toHaveLength(1);
    expect(found[0]?.token).not.toBe(document.edgeRouters?.[0]?.enrollmentToken);
  });

  it('lose their identities when they are no longer tunneler-enabled', async () => {
    const router = (on: boolean) => ({ edgeRouters: [{ name: 'switch', isTunnelerEnabled: on }] });
    const identity = { identities: [{ name: 'switch', typeId: 'Router', isAdmin: false }] };
    await mustImport(network, { ...router(true), ...identity });
    const refused = await imported(network, { ...router(false), ...identity });
    expect(refused.faults.map(({ message }) => message)).toEqual([
      'identities[0] "switch": typeId: no tunneler-enabled edge router is called "switch"',
    ]);
    await mustImport(network, router(false));
    expect(await rows(`select from identity where name = 'switch'`)).toEqual([]);
    const back = await mustImport(network, { ...router(true), ...identity });
    expect(totals(back)).toMatchObject({ created: 1, updated: 1 });
    const other = { identities: [person('switch')], edgeRouterPolicies: [usedBy('@switch')] };
    const taken = await mustImport(network, { ...router(false), ...other });
    expect(totals(taken)).toMatchObject({ created: 2, updated: 1 });
    const [free] = await rows(`select type_id from identity where name = 'switch'`);
    expect(free).toEqual({ type_id: 'Default' });
  });
});

describe('the administrators of an import', () => {
  it('come without a way to log in, the default one of another network as well', async () => {
    const [boss] = await rows<{ id: string }>(
      `select id, is_admin, is_default_admin from identity where name = 'boss elsewhere'`,
    );
    expect(boss).toMatchObject({ is_admin: true, is_default_admin: false });
    const ways = await rows(
      `select identity_id from authenticator where identity_id = $1
       union all select identity_id from enrollment where identity_id = $1`,
      [boss?.id],
    );
    expect(ways).toEqual([]);
  });

  it('can not take the powers of the own default one', async () => {
    const admin = { ...person('admin'), authPolicy: '@two factors', roleAttributes: ['ops'] };
    const disabled = { ...admin, disabled: true };
    expect(totals(await mustImport(network, { identities: [disabled] }))).toMatchObject({
      updated: 1,
    });
    const found = await rows(
      `select is_admin, auth_policy_id, role_attributes, disabled_at from identity where name = 'admin'`,
    );
    expect(found).toEqual([
      { is_admin: true, auth_policy_id: 'default', role_attributes: ['ops'], disabled_at: null },
    ]);
  });
});

describe('disabled identities', () => {
  it('stay disabled from one network to the next, and can be enabled again', async () => {
    const until = '2999-01-31T12:00:00.000Z';
    const people = [
      person('off', { disabled: true }),
      person('off for long', { disabled: true, disabledUntil: until }),
      person('off no more', { disabled: true, disabledUntil: '2001-01-01T00:00:00Z' }),
    ];
    await mustImport(network, { identities: people });
    const { identities = [] } = await exported(network, ['identities']);
    const shown = identities.filter(({ name }) => String(name).startsWith('off'));
    expect(shown).toMatchObject([
      { name: 'off', disabled: true },
      { name: 'off for long', disabled: true, disabledUntil: until },
      { name: 'off no more', disabled: false },
    ]);
    expect(totals(await mustImport(network, { identities: shown }))).toMatchObject({
      unchanged: 3,
    });
    await mustImport(network, { identities: [person('off', { disabled: false })] });
    const [off] = await rows(`select disabled_at from identity where name = 'off'`);
    expect(off).toEqual({ disabled_at: null });
  });
});

it('knows built-in records by name and leaves built-in config types alone', async () => {
  const result = await mustImport(network, {
    configTypes: [{ name: 'host.v1', schema: null }],
    authPolicies: [],
  });
  expect(actionFor(result, 'configTypes', 'host.v1')).toBe('skipped');
  const [type] = await rows<{ schema: unknown }>(
    `select schema from config_type where name = 'host.v1'`,
  );
  expect(type?.schema).not.toBeNull();
});

it('writes signers and auth policies that name each other', async () => {
  const [signer] = await rows<{ policy: string }>(
    `select p.name as policy from external_jwt_signer s join auth_policy p on p.id = s.enroll_auth_policy_id
     where s.name = 'login.example' and p.primary #>> '{extJwt,allowedSigners,0}' = s.id`,
  );
  expect(signer).toEqual({ policy: 'two factors' });
});

/** How many entities each transaction of an import wrote, in their order. */
const transactionsOf = (importId: unknown): Promise<{ count: number }[]> =>
  rows<{ count: number }>(
    'select count(*)::int as count from change where import_id = $1 group by xid order by min(seq)',
    [importId],
  );

const total = (transactions: readonly { readonly count: number }[]): number =>
  transactions.reduce((sum, { count }) => sum + count, 0);

/** A context whose store refuses some transactions, by their number. */
function refusing(
  ctx: RequestContext,
  refuses: (nth: number) => boolean,
  code: 'NOT_FOUND' | 'TIMEOUT' | 'UNAVAILABLE',
): RequestContext {
  let count = 0;
  const { store } = ctx;
  return {
    ...ctx,
    store: storeWith(store, {
      write: (origin, work) => {
        count += 1;
        return refuses(count) ? Promise.reject(failure(code)) : store.write(origin, work);
      },
    }),
  };
}

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { LockedTables } from '../../requests/limits/locked-tables.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';

/* Deletions while others write to what names the deleted entity. */

let controller: InProcess;
let others: LockedTables;

beforeAll(async () => {
  controller = await InProcess.start();
  others = await LockedTables.open(controller.url);
});
afterAll(async () => {
  await others.close();
  await controller.stop();
});

const POLICY = { semantic: 'AnyOf', identityRoles: ['#all'] };

/** A router and a policy that names it. */
async function named(name: string): Promise<{ router: string; policy: string }> {
  const router = await controller.create('EdgeRouter', { name, isTunnelerEnabled: false });
  const edgeRouterRoles = [`@${router}`, '#x'];
  const policy = await controller.create('EdgeRouterPolicy', { ...POLICY, name, edgeRouterRoles });
  return { router, policy };
}

/** Deletes a router; another transaction, which began before, commits once that waits for it. */
async function deleteBeside(router: string, statement: string, policy: string): Promise<void> {
  await others.database.query('begin');
  await others.database.query(statement, [policy]);
  const deleting = controller.graph('mutation ($id: ID!) { deleteEdgeRouter(id: $id) }', {
    id: router,
  });
  await eventually(async () => {
    if ((await others.waiting()) === 0) throw new Error('nothing waits yet');
  });
  await others.database.query('commit');
  expect((await deleting).messages).toEqual([]);
}

const policyOf = async (id: string): Promise<Row | undefined> =>
  (
    await controller.parts.database.query(
      sql<Row>`select edge_router_roles, revision from edge_router_policy where id = ${id}::text`,
    )
  )[0];

describe('a deletion', () => {
  test('succeeds though a policy that names the entity is deleted meanwhile', async () => {
    const { router, policy } = await named('gone');
    await deleteBeside(router, 'delete from edge_router_policy where id = $1', policy);
    expect(await policyOf(policy)).toBeUndefined();
  });

  test('keeps what others write meanwhile to a policy that names the entity', async () => {
    const { router, policy } = await named('changed');
    await deleteBeside(
      router,
      `update edge_router_policy set edge_router_roles = edge_router_roles || '{#y}'::text[],
         revision = revision + 1 where id = $1`,
      policy,
    );
    expect(await policyOf(policy)).toEqual({ edge_router_roles: ['#x', '#y'], revision: 3 });
  });

  test('leaves a policy alone that does not name the entity any more', async () => {
    const { router, policy } = await named('released');
    await deleteBeside(
      router,
      `update edge_router_policy set edge_router_roles = '{#z}', revision = revision + 1
         where id = $1`,
      policy,
    );
    expect(await policyOf(policy)).toEqual({ edge_router_roles: ['#z'], revision: 2 });
  });
});

import { compareBytes } from '../kernel/byte-order.js';
import type { Compute } from '../kernel/attribute.js';
import type { RequestContext } from '../kernel/context.js';
import { idOf, type Row } from '../kernel/row.js';
import { sql } from '../kernel/sql.js';
import { POLICY } from './modules.js';
import { reportOf, syncStatusOf } from './router-state.js';

const MOST = 25;

/**
 * The routers that identity and service of a session share, enrolled or not, those online first: the
 * same as `clientEdgeRouters` of the service, in the form that clients dial.
 */
export const edgeRoutersOfSession: Compute = {
  needs: ['identityId', 'serviceId'],
  values: async (rows, ctx) => {
    const index = ctx.modules.get(POLICY);
    const common = rows.map((row) =>
      index.commonRouters(String(row.identityId), String(row.serviceId)),
    );
    const ids = [...new Set(common.flat())];
    if (ids.length === 0) return rows.map(() => []);
    const routers = await ctx.store.query(
      sql`select id, name, cost, no_traversal, disabled, is_verified, app_data from router where id = any(${ids}::text[])`,
    );
    const shown = new Map(routers.map((r) => [idOf(r), routerView(ctx, r)]));
    return common.map((list) =>
      list
        .toSorted(compareBytes)
        .flatMap((id) => shown.get(id) ?? [])
        .sort((a, b) => Number(b.isOnline) - Number(a.isOnline))
        .slice(0, MOST),
    );
  },
};

function routerView(ctx: RequestContext, row: Row) {
  const { disabled, is_verified: isVerified } = row;
  const report = reportOf(ctx, { id: idOf(row), disabled, isVerified });
  const protocols = report?.listeners ?? {};
  return {
    name: row.name,
    hostname: report?.hostname ?? '',
    isOnline: report !== undefined,
    supportedProtocols: protocols,
    urls: protocols,
    syncStatus: syncStatusOf(report),
    cost: row.cost,
    noTraversal: row.no_traversal,
    disabled,
    appData: row.app_data,
  };
}

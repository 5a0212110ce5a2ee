import type { Compute } from '../kernel/attribute.js';
import { PRESENCE } from '../kernel/presence.js';
import { idOf, type Row } from '../kernel/row.js';
import { sql } from '../kernel/sql.js';
import { POLICY } from './modules.js';

const MOST = 25;

/** The routers that identity and service of a session share, in the form that clients dial. */
export const edgeRoutersOfSession: Compute = {
  needs: ['identityId', 'serviceId'],
  values: async (rows, ctx) => {
    const index = ctx.modules.get(POLICY);
    const presence = ctx.modules.get(PRESENCE);
    const common = rows.map((row) =>
      index.commonRouters(String(row.identityId), String(row.serviceId)),
    );
    const ids = [...new Set(common.flat())];
    if (ids.length === 0) return rows.map(() => []);
    const routers = await ctx.store.query(
      sql`select id, name, cost, no_traversal, disabled, app_data from router where id = any(${ids}::text[])`,
    );
    const shown = new Map(routers.map((r) => [idOf(r), routerView(r, presence.router(idOf(r)))]));
    return common.map((list) =>
      list
        .flatMap((id) => shown.get(id) ?? [])
        .sort((a, b) => Number(b.isOnline) - Number(a.isOnline))
        .slice(0, MOST),
    );
  },
};

function routerView(
  row: Row,
  report: { hostname: string; listeners: Readonly<Record<string, string>> } | undefined,
) {
  const isOnline = report !== undefined && row.disabled !== true;
  const protocols = isOnline ? report.listeners : {};
  return {
    name: row.name,
    hostname: report?.hostname ?? '',
    isOnline,
    supportedProtocols: protocols,
    urls: protocols,
    syncStatus: isOnline ? 'SYNC_DONE' : 'SYNC_NEW',
    cost: row.cost,
    noTraversal: row.no_traversal,
    disabled: row.disabled,
    appData: row.app_data,
  };
}

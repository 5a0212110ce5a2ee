import { column, type Sql } from '../../base/sql.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import { routerClients, type ConnectionStatus } from '../../data/rows/router/index.js';

/** Two attributes are computed from the status of a page, which is read once. */
const statusByPage = new WeakMap<Identities, Promise<readonly ConnectionStatus[]>>();

type Identities = readonly Pick<RowOf<'Identity'>, 'id'>[];

function statusOf(rows: Identities, ctx: RequestContext): Promise<readonly ConnectionStatus[]> {
  const pending = statusByPage.get(rows);
  if (pending) return pending;
  const ids = rows.map(({ id }) => id);
  const status = ctx.modules.presence
    .statusOf(ids)
    .then((byId) => ids.map((id) => byId.get(id) ?? 'offline'));
  statusByPage.set(rows, status);
  return status;
}

/** Whether a client of an identity is connected to a router. */
export const connected = computeFrom<'Identity'>()([], async (rows, ctx) =>
  (await statusOf(rows, ctx)).map((status) => status === 'online'),
);

export const connectionStatus = computeFrom<'Identity'>()([], statusOf);

export const connectedSql = (alias: string, { modules }: RequestContext): Sql =>
  routerClients.isClientSql(column(alias, 'id'), modules.presence.statusTimes());

export const connectionStatusSql = (alias: string, { modules }: RequestContext): Sql =>
  routerClients.statusSql(column(alias, 'id'), modules.presence.statusTimes());

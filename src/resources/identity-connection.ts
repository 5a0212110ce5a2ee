import type { Compute } from '../kernel/declare/attribute.js';
import type { RequestContext } from '../kernel/request/context.js';
import { idOf, type Row } from '../base/row.js';
import type { ConnectionStatus } from '../presence/index.js';

/** Both attributes below are computed for the same page: it is looked up once. */
const asked = new WeakMap<readonly Row[], Promise<readonly ConnectionStatus[]>>();

function statusOf(rows: readonly Row[], ctx: RequestContext): Promise<readonly ConnectionStatus[]> {
  const known = asked.get(rows);
  if (known) return known;
  const ids = rows.map(idOf);
  const found = ctx.modules.presence
    .statusOf(ids)
    .then((status) => ids.map((id) => status.get(id) ?? 'offline'));
  asked.set(rows, found);
  return found;
}

/** Whether a client of an identity is connected to a router. */
export const connected: Compute = {
  needs: [],
  values: async (rows, ctx) => (await statusOf(rows, ctx)).map((status) => status === 'online'),
};

export const connectionStatus: Compute = { needs: [], values: statusOf };

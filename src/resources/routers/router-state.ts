import { attribute, text, type Compute } from '../../kernel/declare/attribute.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { routerPresence, type RouterReport } from '../../data/rows/router/index.js';
import { column, sql, type Sql } from '../../base/sql.js';
import { protocolAddresses } from './protocol-address.js';

/** The software of a router, as reported. */
export class VersionInfo {
  @attribute(text(), { description: 'Processor architecture.' })
  arch!: string;
  @attribute(text(), { description: 'When it was built.' })
  buildDate!: string;
  @attribute(text(), { description: 'Operating system.' })
  os!: string;
  @attribute(text(), { description: 'Source revision.' })
  revision!: string;
  @attribute(text(), { description: 'Version.' })
  version!: string;
}

/** The columns that decide whether the report of a router counts. */
type RouterStanding = Pick<RowOf<'EdgeRouter'>, 'id' | 'disabled' | 'isVerified'>;

/** Gives the report of a router that is connected and allowed to be. */
export const reportOf = (
  ctx: RequestContext,
  { id, disabled, isVerified }: RouterStanding,
): RouterReport | undefined =>
  isVerified && !disabled ? ctx.modules.presence.router(id) : undefined;

/** The condition on routers with such a report. */
export function isOnlineSql(alias: string, ctx: RequestContext): Sql {
  const isConnected = routerPresence.isConnectedSql(column(alias, 'id'), ctx.now());
  return sql`(${column(alias, 'is_verified')} and not ${column(alias, 'disabled')} and ${isConnected})`;
}

const reported = (read: (report: RouterReport | undefined) => unknown): Compute =>
  computeFrom<RouterView>()(['disabled', 'isVerified'], (rows, ctx) =>
    rows.map((row) => read(reportOf(ctx, row))),
  );

type RouterView = 'EdgeRouter' | 'TransitRouter' | 'Router' | 'ClientEdgeRouter';

export const syncStatusOf = (report: RouterReport | undefined): string =>
  report?.syncStatus ?? 'SYNC_NEW';

export const isOnline = reported((report) => report !== undefined);
export const onlineSince = reported((report) => report?.connectedAt ?? null);
export const hostname = reported((report) => report?.hostname ?? '');
export const supportedProtocols = reported((report) => protocolAddresses(report?.listeners));
export const syncStatus = reported(syncStatusOf);
/** The addresses where a connected router accepts links; null while it is not connected. */
export const listenerAddresses = reported(
  (report) => report?.linkListeners.map(({ address, protocol }) => ({ address, protocol })) ?? null,
);
export const versionInfo = reported((report) => report?.versionInfo ?? null);

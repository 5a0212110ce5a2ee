import { attribute, text } from '../../kernel/declare/attribute.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { routerPresence, type RouterReport } from '../../data/rows/router/index.js';
import { column, sql, type Sql } from '../../base/sql.js';
import { BY_PROTOCOL, protocolAddresses } from './protocol-address.js';

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

/** An attribute that routers report. */
const reported = (description: string, read: (report: RouterReport | undefined) => unknown) =>
  ({
    description,
    write: 'never',
    compute: computeFrom<RouterView>()(['disabled', 'isVerified'], (rows, ctx) =>
      rows.map((row) => read(reportOf(ctx, row))),
    ),
  }) as const;

type RouterView = 'EdgeRouter' | 'TransitRouter' | 'Router' | 'ClientEdgeRouter';

export const syncStatusOf = (report: RouterReport | undefined): string =>
  report?.syncStatus ?? 'SYNC_NEW';

export const IS_ONLINE = reported(
  'Is connected now and not disabled.',
  (report) => report !== undefined,
);
export const ONLINE_SINCE = reported(
  'Since when it is connected; null while it is not online.',
  (report) => report?.connectedAt ?? null,
);
export const IN_STEP_SINCE = reported(
  'Since when it has been sent all of the data model, as of a few seconds ago; null while it lacks something, or follows no data model.',
  (report) => report?.inStepSince ?? null,
);
export const HOSTNAME = reported(
  'Name of its host while connected.',
  (report) => report?.hostname ?? '',
);
export const SUPPORTED_PROTOCOLS = {
  ...reported('Protocol -> address while connected.', (report) =>
    protocolAddresses(report?.listeners),
  ),
  restShape: BY_PROTOCOL,
} as const;
export const SYNC_STATUS = reported('Its progress in reading the model.', syncStatusOf);
export const LISTENER_ADDRESSES = reported(
  'The addresses where it accepts links of other routers, while it is connected.',
  (report) => report?.linkListeners.map(({ address, protocol }) => ({ address, protocol })) ?? null,
);
export const VERSION_INFO = {
  ...reported('Its software, while connected.', (report) => report?.versionInfo ?? null),
  nullable: true,
  omitEmpty: true,
} as const;

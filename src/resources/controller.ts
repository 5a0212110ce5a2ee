import { attribute, bool, map, text, time } from '../kernel/declare/attribute.js';
import { computeFrom } from '../kernel/declare/compute-from.js';
import { resource } from '../kernel/declare/resource.js';
import type { Computed } from '../kernel/declare/rows.js';
import type { JsonObject } from '../base/row.js';
import { sql, TRUE } from '../base/sql.js';
import { NOT_AFTER, NOT_BEFORE } from './certificate-validity.js';
import { NamedEntity } from './entity.js';

/** A controller that was not heard of for so long counts as gone. */
const SILENCE_MILLIS = 15_000;

/** By the clock of the database, which took the signs of life: clocks of controllers may differ. */
const isOnline = computeFrom<'Controller'>()([], async (rows, { store }) => {
  const ids = rows.map(({ id }) => id);
  const onlineRows = await store.query(
    sql<{ id: string }>`select id from controller where id = any(${ids}::text[])
      and last_seen_at > clock_timestamp() - make_interval(secs => ${SILENCE_MILLIS / 1000}::float8)`,
  );
  const online = new Set(onlineRows.map(({ id }) => id));
  return ids.map((id) => online.has(id));
});

@resource({
  description: 'A process that serves this network.',
  plural: 'Controllers',
  path: 'controllers',
  permission: 'admin',
  verbs: [],
  visible: () => TRUE,
  unlogged: true,
})
export class Controller extends NamedEntity {
  @attribute(text(), {
    description: 'Where routers reach it, as `tls:host:port`.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  ctrlAddress!: string | null;

  @attribute(text(), { description: 'Its server certificate.', write: 'never', filter: true })
  certPem!: string;

  @attribute(time(), NOT_BEFORE)
  notBefore!: Date | null;

  @attribute(time(), NOT_AFTER)
  notAfter!: Date | null;

  @attribute(text(), { description: 'SHA-1 of the certificate.', write: 'never', filter: true })
  fingerprint!: string;

  @attribute(map(), { description: 'Interface -> addresses.', write: 'never' })
  apiAddresses!: JsonObject;

  @attribute(time(), { description: 'When it last started.', write: 'never', filter: true })
  lastJoinedAt!: Date;

  @attribute(time(), {
    description: 'Last sign of life.',
    write: 'never',
    hidden: true,
    unlogged: true,
  })
  lastSeenAt!: Date;

  @attribute(bool(), {
    description: 'Whether it was heard of lately.',
    write: 'never',
    compute: isOnline,
  })
  isOnline!: Computed<boolean>;
}

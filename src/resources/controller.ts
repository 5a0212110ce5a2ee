import { attribute, bool, map, text, time } from '../kernel/declare/attribute.js';
import { computeFrom } from '../kernel/declare/compute-from.js';
import { resource } from '../kernel/declare/resource.js';
import type { Computed } from '../kernel/declare/rows.js';
import type { JsonObject } from '../base/row.js';
import { TRUE } from '../base/sql.js';
import { NOT_AFTER, NOT_BEFORE } from './certificate-validity.js';
import { runningControllers } from './controller-table.js';
import { NamedEntity } from './entity.js';

const isOnline = computeFrom<'Controller'>()([], async (rows, { store }) => {
  const ids = rows.map(({ id }) => id);
  const online = await runningControllers(store, ids);
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
    description: 'The address for routers, as `tls:host:port`.',
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
    description: 'Whether it is running: its last sign of life is recent.',
    write: 'never',
    compute: isOnline,
  })
  isOnline!: Computed<boolean>;
}

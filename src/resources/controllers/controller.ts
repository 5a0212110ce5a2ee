import { controllers } from '../../data/rows/controller/index.js';
import { attribute, bool, int, map, object, text, time } from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import type { JsonObject } from '../../base/row.js';
import { column, sql, TRUE } from '../../base/sql.js';
import { NOT_AFTER, NOT_BEFORE } from '../trust/certificate-validity.js';
import { NamedEntity } from '../entity.js';
import { CertificateDetails, DETAILS_OF_PEM } from '../trust/certificate-details.js';

@resource({
  description: 'A process that serves this network.',
  plural: 'Controllers',
  path: 'controllers',
  permission: 'controllers',
  grants: ['read'],
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

  @attribute(object(() => CertificateDetails), DETAILS_OF_PEM)
  certificateDetails!: Computed<CertificateDetails | null>;

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

  @attribute(time(), {
    description: 'Its last sign of life, about every five seconds; null after an orderly stop.',
    write: 'never',
    nullable: true,
    graphOnly: true,
    sql: (alias) => sql`nullif(${column(alias, 'last_seen_at')}, 'epoch')`,
  })
  lastHeartbeatAt!: Computed<Date | null>;

  @attribute(text(), {
    description: 'The release of its program; null for one of an older release.',
    write: 'never',
    nullable: true,
    graphOnly: true,
    unlogged: true,
  })
  version!: string | null;

  @attribute(int(), {
    description:
      'The number of its processes that served requests at its last sign of life; null for one of an older release.',
    write: 'never',
    nullable: true,
    graphOnly: true,
    unlogged: true,
  })
  processCount!: number | null;

  @attribute(int(), {
    description:
      'Milliseconds since it had read the change log to its end, at its last sign of life: how far it lags behind the changes of other controllers. Null for one of an older release.',
    write: 'never',
    nullable: true,
    graphOnly: true,
    unlogged: true,
  })
  feedSilenceMillis!: number | null;

  @attribute(bool(), {
    description: 'Whether it is running: its last sign of life is recent.',
    write: 'never',
    filter: true,
    sql: controllers.isRunningSql,
  })
  isOnline!: Computed<boolean>;
}

import {
  attribute,
  bool,
  int,
  map,
  references,
  text,
  time,
} from '../../kernel/declare/attribute.js';
import { invalidField } from '../../base/errors.js';
import type { Write } from '../../kernel/declare/resource.js';
import { textsOf, type JsonObject } from '../../base/row.js';
import { raw, sql, type Sql } from '../../base/sql.js';
import { checkConfigs } from '../services/config-checks.js';
import { NamedEntity } from '../entity.js';
import { interfaces, type NetworkInterface } from '../identities/identity-shapes.js';
import { addRouterEnrollment } from '../identities/new-enrollment.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { IN_STEP_SINCE, IS_ONLINE, isOnlineSql, ONLINE_SINCE } from './router-state.js';
import { ROUTER_ENROLLMENT } from '../secrets.js';

/** The common parts of edge and transit routers: one table, one name space. */

const enrollment = (member: string) =>
  ({
    nullable: true,
    write: 'never',
    sql: (alias: string): Sql =>
      sql`(select n.${raw(member)} from enrollment n where ${raw(`"${alias}"."id"`)} in (n.edge_router_id, n.transit_router_id) limit 1)`,
  }) as const;

export abstract class RouterEntity extends NamedEntity {
  @attribute(int({ min: 0, max: 65535 }), {
    description: 'Added to the cost of paths through it.',
    filter: true,
  })
  cost!: number;

  @attribute(bool(), { description: 'Carries no traffic between other routers.', filter: true })
  noTraversal!: boolean;

  @attribute(bool(), { description: 'May not connect.', filter: true })
  disabled!: boolean;

  @attribute(bool(), { description: 'Has enrolled.', write: 'never', filter: true })
  isVerified!: boolean;

  @attribute(bool(), {
    ...IS_ONLINE,
    filter: ['connected', 'online'],
    graphFilter: isOnlineSql,
  })
  isOnline!: Computed<boolean>;

  @attribute(time(), { ...ONLINE_SINCE, nullable: true, graphOnly: true })
  onlineSince!: Computed<Date | null>;

  @attribute(time(), { ...IN_STEP_SINCE, nullable: true, graphOnly: true })
  inStepSince!: Computed<Date | null>;

  @attribute(text(), {
    description: 'SHA-1 of its certificate in lower-case hex.',
    write: 'never',
    nullable: true,
    filter: true,
    isExternalId: true,
  })
  fingerprint!: string | null;

  @attribute(text(), {
    description: 'SHA-1 of a certificate that it has still to confirm.',
    write: 'never',
    nullable: true,
  })
  unverifiedFingerprint!: string | null;

  @attribute(text(), {
    description: 'A certificate that it has still to confirm.',
    write: 'never',
    nullable: true,
  })
  unverifiedCertPem!: string | null;

  @attribute(references('Config'), {
    description: 'Ids of its configs, at most one of each type.',
    filter: true,
  })
  configs!: string[];

  @attribute(map(), {
    description: 'Its listeners for control channels: URL -> groups.',
    default: {},
    filter: true,
  })
  ctrlChanListeners!: JsonObject;

  @attribute(interfaces, { description: 'Its network interfaces.', write: 'never', unlogged: true })
  interfaces!: NetworkInterface[];

  @attribute(time(), {
    description: 'Time when its outstanding enrollment was created.',
    ...enrollment('created_at'),
  })
  enrollmentCreatedAt!: Computed<Date | null>;

  @attribute(time(), {
    description: 'When its outstanding enrollment ends.',
    ...enrollment('expires_at'),
  })
  enrollmentExpiresAt!: Computed<Date | null>;

  @attribute(text(), {
    description:
      'The signed token of its outstanding enrollment; empty for those who may not enroll routers.',
    ...enrollment('jwt'),
    secret: ROUTER_ENROLLMENT,
  })
  enrollmentJwt!: Computed<string | null>;

  @attribute(text(), {
    description: 'Its one-time token; empty for those who may not enroll routers.',
    ...enrollment('token'),
    secret: ROUTER_ENROLLMENT,
  })
  enrollmentToken!: Computed<string | null>;
}

type RouterKind = 'EdgeRouter' | 'TransitRouter';

export async function validateRouter({ ctx, tx, values }: Write<RouterKind>): Promise<void> {
  checkListeners(values.ctrlChanListeners);
  await checkConfigs(ctx, tx, 'router', values.configs);
}

function checkListeners(listeners: JsonObject = {}): void {
  for (const [url, groups] of Object.entries(listeners)) {
    if (!Array.isArray(groups) || textsOf(groups).length !== groups.length) {
      throw invalidField(`ctrlChanListeners.${url}`, 'must be a list of groups', groups);
    }
  }
}

/** Gives a new router its enrollment. */
export async function afterRouter(write: Write<RouterKind>, isEdge: boolean): Promise<void> {
  const { verb, ctx, tx, id } = write;
  if (verb === 'create') await addRouterEnrollment(ctx, tx, { id, isEdge });
}

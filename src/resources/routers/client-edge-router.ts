import { attribute, bool, int, map, objects, text } from '../../kernel/declare/attribute.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { resource, type Relation } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import type { JsonObject } from '../../base/row.js';
import { column, FALSE, raw, sql, type Sql } from '../../base/sql.js';
import { unionPredicate } from '../../kernel/policy/index.js';
import { NamedEntity } from '../entity.js';

import { ProtocolAddress } from './protocol-address.js';
import { HOSTNAME, IS_ONLINE, SUPPORTED_PROTOCOLS, SYNC_STATUS } from './router-state.js';

/** A client needs no more routers of a service. */
const MAX_ROUTERS = 25;

/** Restricts the rows to routers that the caller may use; administrators see all. */
function usable(ctx: RequestContext, alias: string): Sql {
  if (!ctx.caller) return FALSE;
  const access = ctx.modules.policy.routersOfIdentity(ctx.caller.identityId);
  return unionPredicate(access.sides, { kind: 'edgeRouter', alias });
}

/** The routers over which the caller reaches a service; of many, online ones come first. */
export const clientEdgeRouters: Relation = {
  name: 'clientEdgeRouters',
  target: 'ClientEdgeRouter',
  description: `The edge routers over which the caller reaches it, at most ${String(MAX_ROUTERS)}: of more, those that are online.`,
  path: false,
  isOfCaller: true,
  scope: (service, ctx) => {
    const common = ctx.modules.policy.commonRouters(ctx.caller?.identityId ?? '', service.id);
    const online = ctx.modules.presence.routers().map(({ routerId }) => routerId);
    const most = raw(String(MAX_ROUTERS));
    return {
      predicate: (alias) => sql`${column(alias, 'id')} in (
        select c.id from router c where c.id = any(${common}::text[])
        order by (c.is_verified and not c.disabled and c.id = any(${online}::text[])) desc, c.id limit ${most})`,
    };
  },
};

@resource({
  description:
    'An edge router as clients see it. The list shows enrolled ones: to administrators all, to others those that they may use.',
  plural: 'ClientEdgeRouters',
  path: 'edge-routers',
  permission: 'admin',
  label: 'edgeRouter',
  table: 'router',
  model: 'router',
  discriminator: { isEdge: true },
  listed: (alias) => column(alias, 'is_verified'),
  verbs: [],
  interfaces: [],
  visible: usable,
})
export class ClientEdgeRouter extends NamedEntity {
  @attribute(text(), HOSTNAME)
  hostname!: Computed<string>;

  @attribute(bool(), IS_ONLINE)
  isOnline!: Computed<boolean>;

  @attribute(objects(() => ProtocolAddress), SUPPORTED_PROTOCOLS)
  supportedProtocols!: Computed<ProtocolAddress[]>;

  @attribute(text(), SYNC_STATUS)
  syncStatus!: Computed<string>;

  @attribute(int(), { description: 'Added to the cost of paths through it.', write: 'never' })
  cost!: number;

  @attribute(bool(), {
    description: 'Carries no traffic between other routers.',
    write: 'never',
  })
  noTraversal!: boolean;

  @attribute(bool(), { description: 'May not connect.', write: 'never' })
  disabled!: boolean;

  @attribute(bool(), { description: 'Has enrolled.', write: 'never', hidden: true })
  isVerified!: boolean;

  @attribute(map(), { description: 'Free data for applications.', write: 'never' })
  appData!: JsonObject;
}

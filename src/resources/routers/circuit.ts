import {
  attribute,
  map,
  object,
  objects,
  reference,
  text,
  textSet,
  time,
  type RestShape,
} from '../../kernel/declare/attribute.js';
import { routers } from '../../data/rows/router/index.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import { resource, type RelationScope } from '../../kernel/declare/resource.js';
import { entityReference } from '../../kernel/declare/rest.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { columnOfType } from '../../kernel/declare/table.js';
import type { JsonObject } from '../../base/row.js';
import { column, sql } from '../../base/sql.js';
import type { ServicePolicyType } from '../../kernel/policy/index.js';
import { Entity } from '../entity.js';

/** A router of a path. */
class PathRouter {
  @attribute(text(), { description: 'Id of the router.' })
  id!: string;

  @attribute(text(), { description: 'Its name; empty when it was deleted.' })
  name!: string;
}

/** The way of a circuit. */
class CircuitPath {
  @attribute(objects(() => PathRouter), {
    description: 'Its routers, from that of the client to that of the host.',
  })
  routers!: PathRouter[];

  @attribute(textSet(), { description: 'The ids of the links between them, in this order.' })
  linkIds!: string[];
}

const PATH_ON_REST: RestShape = {
  type: map(),
  of: ({ routers, linkIds }: CircuitPath) => ({
    nodes: routers.map(({ id, name }) => entityReference('routers', id, name)),
    links: linkIds.length === 0 ? null : linkIds.map((id) => entityReference('links', id, id)),
  }),
};

const TERMINATOR_ON_REST: RestShape = {
  type: map(),
  of: (id: string) => entityReference('terminators', id, id),
};

const path = computeFrom<'Circuit'>()(['routerIds', 'linkIds'], async (rows, { store }) => {
  const names = await routers.namesOf(store, [...new Set(rows.flatMap((row) => row.routerIds))]);
  return rows.map(({ routerIds, linkIds }) => ({
    routers: routerIds.map((id) => ({ id, name: names.get(id) ?? '' })),
    linkIds,
  }));
});

/** An identity that may dial or host a service. */
export interface AccessOfPair {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: ServicePolicyType;
}

/** The circuits that use an access: those that the identity dialed, or those that it hosts. */
export const circuitsOfAccess = ({ identityId, serviceId, type }: AccessOfPair): RelationScope => ({
  predicate: (alias) => sql`(${column(alias, 'service_id')} = ${serviceId}::text
    and ${column(alias, type === 'Dial' ? 'identity_id' : 'host_id')} = ${identityId}::text)`,
});

@resource({
  description:
    'A connection of a client to a host of a service, over one or more routers. The controller that serves the routers makes it for a dial.',
  plural: 'Circuits',
  path: 'circuits',
  permission: 'ops',
  grants: ['read', 'delete'],
  verbs: ['delete'],
  interfaces: ['fabric'],
  isRecord: true,
  storage: {
    isUnlogged: true,
    columns: {
      ingress: columnOfType('text'),
      egress: columnOfType('text'),
      binding: columnOfType('text'),
    },
  },
})
export class Circuit extends Entity {
  @attribute(reference('Session', { onDelete: 'keep', onRest: false }), {
    description: 'Id of the session by which the client dialed.',
    write: 'never',
    filter: 'clientId',
    restName: 'clientId',
    column: { index: 'btree' },
  })
  sessionId!: string;

  @attribute(reference('Service', { onDelete: 'keep' }), {
    description: 'Id of the service.',
    write: 'never',
    filter: 'service',
    graphOnly: true,
    column: { index: 'btree' },
  })
  serviceId!: string;

  @attribute(reference('Identity', { onDelete: 'keep', onRest: false }), {
    description: 'Id of the identity that dialed.',
    write: 'never',
    graphFilter: true,
    graphOnly: true,
    column: { index: 'btree' },
  })
  identityId!: string;

  @attribute(reference('Identity', { as: 'host', onDelete: 'keep', onRest: false }), {
    description: 'Id of the identity that hosts the terminator; empty if none does.',
    write: 'never',
    graphFilter: true,
    graphOnly: true,
  })
  hostId!: string;

  @attribute(reference('Terminator', { onDelete: 'keep', onRest: false }), {
    description: 'Id of the terminator that it leads to.',
    write: 'never',
    filter: 'terminator',
    restName: 'terminator',
    restShape: TERMINATOR_ON_REST,
  })
  terminatorId!: string;

  @attribute(textSet(), {
    description: 'The ids of its routers, in order.',
    write: 'never',
    hidden: true,
    column: { default: null },
  })
  routerIds!: string[];

  @attribute(textSet(), {
    description: 'The ids of its links, in order.',
    write: 'never',
    hidden: true,
    column: { default: null },
  })
  linkIds!: string[];

  @attribute(object(() => CircuitPath), {
    description: 'Its way over routers and links.',
    write: 'never',
    compute: path,
    restShape: PATH_ON_REST,
  })
  path!: Computed<CircuitPath>;

  @attribute(time(), {
    description: 'When it was created.',
    write: 'never',
    filter: true,
    column: { default: { sql: 'clock_timestamp()' } },
  })
  override updatedAt!: Date;

  @attribute(map('tag'), {
    description: 'The ids of its service, client and host, as routers know them.',
    write: 'never',
    filter: true,
    default: {},
  })
  override tags!: JsonObject;
}

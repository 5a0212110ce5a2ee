import {
  attribute,
  bytes,
  int,
  json,
  oneOf,
  reference,
  text,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { columnOfType } from '../../kernel/declare/table.js';
import type { Computed } from '../../kernel/declare/rows.js';
import type { JsonObject } from '../../base/row.js';
import { column, raw, sql, type Sql } from '../../base/sql.js';
import { dynamicCostsOf } from '../../network/fabric/index.js';
import { Entity } from '../entity.js';

export const PRECEDENCE = oneOf(
  'TerminatorPrecedence',
  {
    default: 'After those that are required.',
    required: 'First of all.',
    failed: 'Last: it has failed, or is to be drained.',
  },
  'Which terminators come first: `required` before `default` before `failed`.',
);
const COST = int({ min: 0, max: 65535 });

/** Filters may use the name in place of the id. */
const nameOf = (table: string, key: string) => ({
  write: 'never' as const,
  hidden: true,
  sql: (alias: string): Sql =>
    sql`(select n.name from ${raw(`"${table}"`)} n where n.id = ${column(alias, key)})`,
});

const dynamicCost = computeFrom<'Terminator'>()([], (rows, { store, now }) =>
  dynamicCostsOf(
    store,
    rows.map(({ id }) => id),
    now(),
  ),
);

/** Updates must name the service, without effect. */
function keepService({ verb, values }: Write<'Terminator'>): void {
  if (verb !== 'create') delete values.serviceId;
}

@resource({
  description: 'A way to reach a service: an address at a router.',
  plural: 'Terminators',
  path: 'terminators',
  permission: 'terminator',
  createdOften: true,
  exported: false,
  // Controllers of earlier releases beside this one read and write the column.
  storage: { columns: { dynamicCost: columnOfType('integer', { default: 0 }) } },
  hooks: { validate: keepService },
})
export class Terminator extends Entity {
  @attribute(reference('Service', { onDelete: 'cascade' }), {
    description: 'Id of the service; fixed at creation.',
    inputName: 'service',
    required: true,
    filter: 'service',
  })
  serviceId!: string;

  @attribute(reference('EdgeRouter', { as: 'router', onDelete: 'cascade' }), {
    description: 'Id of the router.',
    inputName: 'router',
    required: true,
    filter: 'router',
  })
  routerId!: string;

  @attribute(text(), {
    description: 'Name of the service.',
    filter: 'service.name',
    ...nameOf('service', 'service_id'),
  })
  serviceName!: Computed<string>;

  @attribute(text(), {
    description: 'Name of the router.',
    filter: 'router.name',
    ...nameOf('router', 'router_id'),
  })
  routerName!: Computed<string>;

  @attribute(text({ min: 1 }), {
    description: 'The binding by which the router reaches it.',
    required: true,
    filter: true,
  })
  binding!: string;

  @attribute(text({ min: 1 }), {
    description: 'The address where the router reaches it.',
    required: true,
    filter: true,
    isExternalId: true,
  })
  address!: string;

  @attribute(text(), {
    description: 'Tells it from others of the service; fixed at creation.',
    write: 'create',
    isExternalId: true,
  })
  identity!: string;

  @attribute(bytes(), {
    description: 'Secret that guards the identity; never shown.',
    write: 'create',
    nullable: true,
    hidden: true,
    unlogged: true,
  })
  identitySecret!: Uint8Array | null;

  @attribute(json(), {
    description: 'What its host tells those who dial it: bytes in base64 by their numbers.',
    write: 'never',
    hidden: true,
    unlogged: true,
    column: { default: {} },
  })
  peerData!: JsonObject;

  @attribute(COST, { description: 'The cost of choosing it.' })
  cost!: number;

  @attribute(PRECEDENCE, {
    description: 'Whether it comes before or after others.',
    default: 'default',
  })
  precedence!: ValueOf<typeof PRECEDENCE>;

  @attribute(PRECEDENCE, {
    description: 'Its precedence as soon as its router is not quiesced any more.',
    write: 'never',
    nullable: true,
    hidden: true,
  })
  savedPrecedence!: ValueOf<typeof PRECEDENCE> | null;

  @attribute(COST, {
    description: 'The additional cost of its failures and load.',
    write: 'never',
    compute: dynamicCost,
  })
  dynamicCost!: Computed<number>;

  @attribute(text(), {
    description: 'Id that its host gave it.',
    write: 'never',
    filter: true,
    graphOnly: true,
    column: { default: '' },
  })
  instanceId!: string;

  @attribute(text(), {
    description: 'Id of the identity that hosts it.',
    write: 'never',
    filter: true,
    graphOnly: true,
    column: { default: '' },
  })
  hostId!: string;

  @attribute(text(), {
    description: 'Id of the controller that its host is connected to.',
    write: 'never',
    filter: true,
    graphOnly: true,
    column: { default: '' },
  })
  sourceCtrl!: string;
}

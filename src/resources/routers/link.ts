import {
  attribute,
  bool,
  int,
  objects,
  oneOf,
  reference,
  text,
  time,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { column, sql, type Sql } from '../../base/sql.js';
import { listersOf } from '../child-relations.js';

const NANOS_PER_MILLI = 1_000_000;

/** Links of a router report latencies in nanoseconds; the graph has whole milliseconds. */
const latencyInNanos = (name: string) =>
  ({
    description: 'In nanoseconds.',
    write: 'never',
    hidden: true,
    sql: (alias: string): Sql => sql`(${column(alias, name)}::bigint * ${NANOS_PER_MILLI}::int)`,
  }) as const;

const NANOS_ON_REST = { of: (millis: number) => millis * NANOS_PER_MILLI };

const STATE = oneOf(
  'LinkState',
  { Connected: 'It carries circuits, unless it is down.' },
  'Whether both routers have the link.',
);

/** One of the connections that a link consists of. */
class ConnectionOfLink {
  @attribute(text(), {
    description: 'Its traffic: `payload` or `ack`; `single` for both.',
  })
  type!: string;

  @attribute(text(), { description: 'Its address at the router that dialed.' })
  source!: string;

  @attribute(text(), { description: 'Its address at the other router.' })
  dest!: string;
}

@resource({
  description:
    'A link between two routers, as the router that dialed it reports it to the controller that serves the routers.',
  plural: 'Links',
  path: 'links',
  permission: 'ops',
  grants: ['read', 'update', 'delete'],
  verbs: ['update', 'delete'],
  interfaces: ['fabric'],
  isRecord: true,
  relations: [
    { ...listersOf('circuits', 'Circuit', 'linkIds', 'The circuits over it.'), path: false },
  ],
  storage: { isUnlogged: true },
  rest: { title: 'RouterLink', noLinks: true },
})
export class Link {
  @attribute(text(), {
    description: 'Opaque id, which the router that dialed it has chosen.',
    write: 'never',
    filter: true,
  })
  id!: string;

  @attribute(text(), {
    description: 'The protocol of its connections.',
    write: 'never',
    filter: true,
  })
  protocol!: string;

  @attribute(text(), {
    description: 'The address that was dialed.',
    write: 'never',
    filter: true,
    graphOnly: true,
  })
  dialAddress!: string;

  @attribute(reference('Router', { as: 'sourceRouter', onDelete: 'keep' }), {
    description: 'Id of the router that dialed it.',
    write: 'never',
    filter: 'sourceRouter',
    graphOnly: true,
    column: { index: 'btree' },
  })
  sourceRouterId!: string;

  @attribute(reference('Router', { as: 'destRouter', onDelete: 'keep' }), {
    description: 'Id of the router that was dialed.',
    write: 'never',
    filter: 'destRouter',
    graphOnly: true,
    column: { index: 'btree' },
  })
  destRouterId!: string;

  @attribute(STATE, {
    description: 'Whether both routers have it.',
    write: 'never',
    filter: true,
    sql: () => sql`'Connected'::text`,
  })
  state!: Computed<ValueOf<typeof STATE>>;

  @attribute(bool(), { description: 'Set by hand: no circuit uses it.' })
  down!: boolean;

  @attribute(int({ min: 0 }), {
    description: 'Set by hand: added to its latencies.',
    filter: true,
    column: { default: 1 },
  })
  staticCost!: number;

  @attribute(int(), {
    description:
      'The latency that the router that dialed it measures, in milliseconds; 65000 before the first measurement.',
    write: 'never',
    restShape: NANOS_ON_REST,
  })
  sourceLatency!: number;

  @attribute(int(), {
    description:
      'The latency that the router that was dialed measures, in milliseconds; 65000 before the first measurement.',
    write: 'never',
    restShape: NANOS_ON_REST,
  })
  destLatency!: number;

  @attribute(int(), { ...latencyInNanos('source_latency'), filter: 'sourceLatency' })
  sourceLatencyNanos!: Computed<number>;

  @attribute(int(), { ...latencyInNanos('dest_latency'), filter: 'destLatency' })
  destLatencyNanos!: Computed<number>;

  @attribute(int(), {
    description: 'Its cost for paths: `staticCost` and both latencies.',
    write: 'never',
    filter: true,
    sql: (alias) =>
      sql`(${column(alias, 'static_cost')} + ${column(alias, 'source_latency')} + ${column(alias, 'dest_latency')})`,
  })
  cost!: Computed<number>;

  @attribute(int(), {
    description: 'Grows each time the link is made again.',
    write: 'never',
    filter: true,
  })
  iteration!: number;

  @attribute(objects(() => ConnectionOfLink), {
    description: 'Its connections.',
    write: 'never',
    unlogged: true,
  })
  connections!: ConnectionOfLink[];

  @attribute(time(), {
    description: 'When the controller learned of it.',
    write: 'never',
    graphOnly: true,
  })
  createdAt!: Date;

  @attribute(time(), {
    description: 'When it was last changed by hand.',
    write: 'never',
    graphOnly: true,
  })
  updatedAt!: Date;

  @attribute(int(), {
    description: 'Counts the changes by hand; give it as `ifRevision` to refuse a lost update.',
    write: 'never',
    graphOnly: true,
    column: { default: 1 },
  })
  revision!: number;
}

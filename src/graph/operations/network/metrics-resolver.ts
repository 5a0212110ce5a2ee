import { Arg, Ctx, Field, Float, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import {
  routerMetrics,
  type MetricKind,
  type ReportedMetric,
} from '../../../data/rows/router/index.js';
import { may } from '../../../kernel/declare/permissions.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Runs } from '../../../kernel/graph/pace.js';
import type { RequestContext } from '../../../kernel/request/context.js';

const METRIC_KIND = enumOf(
  'MetricKind',
  {
    intValue: 'A whole number.',
    floatValue: 'A number.',
    meter: 'A count and its rates per second.',
    histogram: 'The distribution of measured values.',
    timer: 'The distribution of durations in nanoseconds, with rates per second.',
  } satisfies Record<MetricKind, string>,
  'How a metric is measured.',
);

@ObjectType({ description: 'A number of a metric.', simpleResolvers: true })
class MetricValue {
  @Field(() => String, {
    description: 'What it is, such as `p95` or `m1_rate`; `value` where it stands alone.',
  })
  name!: string;

  @Field(() => Float, { description: 'The number; times are nanoseconds.' })
  value!: number;
}

@ObjectType({ description: 'The latest measurement of a router.', simpleResolvers: true })
class Metric {
  @Field(() => String, { description: 'Such as `link.latency` or `fabric.rx.bytesrate`.' })
  name!: string;

  @Field(() => METRIC_KIND, { description: 'How it is measured.' })
  kind!: MetricKind;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the measured link or controller; null: the router itself is measured.',
  })
  entityId!: string | null;

  @Field(() => DateTime, { description: 'When it was measured, by the clock of the router.' })
  measuredAt!: Date;

  @Field(() => [MetricValue], { description: 'The numbers, by their names.' })
  values!: readonly MetricValue[];
}

@Resolver()
export class MetricsResolver {
  @Runs({ lane: 'background' })
  @Needs(may('ops', 'read'))
  @Query(() => [Metric], {
    description: [
      'What a router has measured, by the names of the metrics. Routers report it about once a minute.',
      'A router that has not reported yet has none.',
    ].join('\n'),
  })
  async metrics(
    @Arg('routerId', () => ID, { description: 'Id of the router.' }) routerId: string,
    @Arg('entityId', () => ID, { nullable: true, description: 'Only of this link or controller.' })
    entityId: string | null | undefined,
    @Arg('names', () => [String], { nullable: true, description: 'Only metrics of these names.' })
    names: string[] | null | undefined,
    @Ctx() { store }: RequestContext,
  ): Promise<Metric[]> {
    const metrics = await routerMetrics.find(store, { routerId, entityId, names });
    return metrics.map((metric) => ({ ...metric, values: valuesOf(metric) }));
  }
}

const valuesOf = ({ values }: ReportedMetric): MetricValue[] =>
  Object.entries(values)
    .map(([name, value]) => ({ name, value }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));

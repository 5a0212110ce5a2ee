import { Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { OPERATORS, Rest } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';

@ObjectType({ description: 'A fault in the data.', simpleResolvers: true })
class DataIntegrityFinding {
  @Field(() => String, { description: 'The fault in one sentence.' })
  description!: string;

  @Field(() => Boolean, { description: 'Whether the run has repaired it.' })
  fixed!: boolean;
}

@ObjectType({
  description: 'The current or the last run of the data integrity check.',
  simpleResolvers: true,
})
class DataIntegrityResults {
  @Field(() => DateTime, {
    nullable: true,
    description: 'Start of the run; null before the first run.',
  })
  startTime!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'End of the run; null while it is running.',
  })
  endTime!: Date | null;

  @Field(() => String, { nullable: true, description: 'The reason why it was aborted.' })
  error!: string | null;

  @Field(() => Boolean, { description: 'Whether it repairs faults that are safe to repair.' })
  fixingErrors!: boolean;

  @Field(() => Boolean, { description: 'Whether it is running, at any controller.' })
  inProgress!: boolean;

  @Field(() => Boolean, { description: 'Whether there are more findings than listed.' })
  tooManyErrors!: boolean;

  @Field(() => [DataIntegrityFinding], { description: 'The first 1,000 findings.' })
  results!: readonly DataIntegrityFinding[];
}

const ONE_AT_A_TIME =
  'The run continues after the answer; RATE_LIMITED while one is running at any controller.';

@Resolver()
export class DataIntegrityResolver {
  @Rest({
    method: 'POST',
    on: OPERATORS,
    path: '/database/check-data-integrity',
    status: 202,
    answer: { kind: 'empty' },
  })
  @Runs({ lane: 'background' })
  @Needs(ADMIN)
  @Mutation(() => DataIntegrityResults, {
    description: `Starts a search for faults in the data. ${ONE_AT_A_TIME}`,
  })
  async checkDataIntegrity(@Ctx() ctx: RequestContext): Promise<DataIntegrityResults> {
    return ctx.modules.integrity.start(ctx, false);
  }

  @Rest({
    method: 'POST',
    on: OPERATORS,
    path: '/database/fix-data-integrity',
    status: 202,
    answer: { kind: 'empty' },
  })
  @Runs({ lane: 'background' })
  @Needs(ADMIN)
  @Mutation(() => DataIntegrityResults, {
    description: `Starts a search for faults in the data and repairs those that are safe to repair: it removes ids of missing entities from lists, deletes rows without an owner, and updates the memory from the database. ${ONE_AT_A_TIME}`,
  })
  async fixDataIntegrity(@Ctx() ctx: RequestContext): Promise<DataIntegrityResults> {
    return ctx.modules.integrity.start(ctx, true);
  }

  @Rest({ on: OPERATORS, method: 'GET', path: '/database/data-integrity-results' })
  @Needs(ADMIN)
  @Query(() => DataIntegrityResults, { description: 'The progress and the findings of the check.' })
  async dataIntegrityResults(@Ctx() ctx: RequestContext): Promise<DataIntegrityResults> {
    return ctx.modules.integrity.results();
  }
}

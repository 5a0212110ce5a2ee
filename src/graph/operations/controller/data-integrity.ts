import { Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';

@ObjectType({ description: 'One thing that is wrong with the data.', simpleResolvers: true })
class DataIntegrityFinding {
  @Field(() => String, { description: 'What is wrong, in a sentence.' })
  description!: string;

  @Field(() => Boolean, { description: 'Whether the run has put it right.' })
  fixed!: boolean;
}

@ObjectType({
  description: 'The run of the data integrity check that is under way, or the last one.',
  simpleResolvers: true,
})
class DataIntegrityResults {
  @Field(() => DateTime, { nullable: true, description: 'Null: there was none yet.' })
  startTime!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Null while it is under way.' })
  endTime!: Date | null;

  @Field(() => String, { nullable: true, description: 'Why it did not come to its end.' })
  error!: string | null;

  @Field(() => Boolean, { description: 'Whether it puts right what is safe to put right.' })
  fixingErrors!: boolean;

  @Field(() => Boolean, { description: 'Whether it is under way, at whichever controller.' })
  inProgress!: boolean;

  @Field(() => Boolean, { description: 'Whether more was found than is listed.' })
  tooManyErrors!: boolean;

  @Field(() => [DataIntegrityFinding], { description: 'The first 1,000 findings.' })
  results!: readonly DataIntegrityFinding[];
}

const ONE_AT_A_TIME =
  'It goes on after the answer; RATE_LIMITED while one is under way at any controller.';

@Resolver()
export class DataIntegrityResolver {
  @Rest({
    method: 'POST',
    path: '/database/check-data-integrity',
    status: 202,
    answer: { kind: 'empty' },
  })
  @Runs({ lane: 'background' })
  @Needs(ADMIN)
  @Mutation(() => DataIntegrityResults, {
    description: `Begins to look for what is wrong with the data. ${ONE_AT_A_TIME}`,
  })
  async checkDataIntegrity(@Ctx() ctx: RequestContext): Promise<DataIntegrityResults> {
    return ctx.modules.integrity.start(ctx, false);
  }

  @Rest({
    method: 'POST',
    path: '/database/fix-data-integrity',
    status: 202,
    answer: { kind: 'empty' },
  })
  @Runs({ lane: 'background' })
  @Needs(ADMIN)
  @Mutation(() => DataIntegrityResults, {
    description: `Begins to look for what is wrong, and puts right what is safe to put right: names of nobody leave lists, what belongs to nobody is deleted, memory follows the database. ${ONE_AT_A_TIME}`,
  })
  async fixDataIntegrity(@Ctx() ctx: RequestContext): Promise<DataIntegrityResults> {
    return ctx.modules.integrity.start(ctx, true);
  }

  @Rest({ method: 'GET', path: '/database/data-integrity-results' })
  @Needs(ADMIN)
  @Query(() => DataIntegrityResults, { description: 'How far the check is, and what it found.' })
  async dataIntegrityResults(@Ctx() ctx: RequestContext): Promise<DataIntegrityResults> {
    return ctx.modules.integrity.results();
  }
}

import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, Info, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../kernel/request/context.js';
import { emptyClass } from '../../../kernel/graph/graphql-types.js';
import { INTEGER } from '../../../kernel/declare/rest-schema.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { may, permits, READER } from '../../../kernel/declare/permissions.js';
import type { Resource } from '../../../kernel/declare/resource.js';
import { requested } from '../../../kernel/read/selection.js';
import { countEntities } from '../../../kernel/read/entity-table.js';
import { catalog } from '../../../resources/index.js';

/** Gives the resources that the summary counts: records of past events are no entities. */
const countedResources = (all: Iterable<Resource>): Resource[] =>
  [...all].filter(({ options }) => options.isRecord !== true);

/** One member for each list of the graph, under its name. */
function summaryClass(): ReturnType<typeof emptyClass> {
  const target = emptyClass('Summary');
  ObjectType('Summary', {
    description: 'The number of entities of each kind.',
    simpleResolvers: true,
  })(target);
  for (const { list, options } of countedResources(catalog.all())) {
    Field(() => Int, {
      nullable: true,
      description: `${options.plural}; null without the permission to read them.`,
    })(target.prototype, list);
  }
  return target;
}

export const Summary = summaryClass();

/** Member names of REST that differ from the name of the list. */
const REST_NAMES: Readonly<Record<string, string>> = {
  certificateAuthorities: 'cas',
  edgeRouters: 'routers.edge',
};

/** Removes the lists that the caller may not read. */
const summaryBody = (counts: Readonly<Record<string, number | null>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts)
      .filter((entry): entry is [string, number] => entry[1] !== null)
      .map(([list, count]) => [REST_NAMES[list] ?? list, count]),
  );

@Resolver()
export class SummaryResolver {
  @Rest({
    method: 'GET',
    path: '/summary',
    operationId: 'listSummary',
    tag: 'information',
    answer: {
      kind: 'data',
      view: summaryBody,
      schema: { type: 'object', additionalProperties: INTEGER },
    },
  })
  @Needs(READER)
  @Query(() => Summary, { description: 'The number of entities of each kind.' })
  summary(
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Record<string, number>> {
    return summaryOf(ctx, info);
  }
}

/** Counts what the document asks for and the caller may read. */
export async function summaryOf(
  ctx: RequestContext,
  info: GraphQLResolveInfo,
): Promise<Record<string, number>> {
  const { fields } = requested(info);
  const counted = countedResources(ctx.catalog.all()).filter(
    ({ list, options }) => fields.has(list) && permits(ctx.caller, may(options.permission, 'read')),
  );
  if (counted.length === 0) return {};
  const rows = await countEntities(ctx.store, counted);
  return Object.fromEntries(rows.map(({ list, count }) => [list, count]));
}

import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Resolver, Root, type ClassType } from 'type-graphql';
import { Access } from '../../../access/analysis/index.js';
import { may } from '../../../kernel/declare/permissions.js';
import { listTypes, type ListTypes } from '../../../kernel/graph/list-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import type { Page } from '../../../kernel/read/connection.js';
import { listPage, type ListArguments } from '../../../kernel/read/listing.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { circuitsOfAccess, type AccessOfPair } from '../../../resources/routers/circuit.js';
import { catalog } from '../../../resources/index.js';
import { AccessGrant } from './accesses-types.js';

/** The circuits of this moment beside answers about access, also about past or simulated access. */

const circuitTypes = (): ListTypes => listTypes(catalog.resources.Circuit, catalog);
const listOfCircuits = (): ClassType => circuitTypes().connection;
const listArguments = (): ClassType => circuitTypes().args;

const DESCRIPTION =
  'The circuits that use it at this moment: those of the identity to the service, or from the service to the identity that hosts it.';

/** An answer about one pair. */
export type AnswerAboutPair = Access & { readonly pair: AccessOfPair };

@Resolver(() => Access)
export class AccessCircuitsResolver {
  @Needs(may('ops', 'read'))
  @FieldResolver(listOfCircuits, { description: DESCRIPTION })
  circuits(
    @Root() { pair }: AnswerAboutPair,
    @Args(listArguments) args: ListArguments,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page> {
    return pageOfCircuits(pair, args, ctx, info);
  }
}

@Resolver(() => AccessGrant)
export class AccessGrantCircuitsResolver {
  @Needs(may('ops', 'read'))
  @FieldResolver(listOfCircuits, { description: DESCRIPTION })
  circuits(
    @Root() pair: AccessOfPair,
    @Args(listArguments) args: ListArguments,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page> {
    return pageOfCircuits(pair, args, ctx, info);
  }
}

/** The reader of the request batches the pages of all answers. */
const pageOfCircuits = (
  pair: AccessOfPair,
  args: ListArguments,
  ctx: RequestContext,
  info: GraphQLResolveInfo,
): Promise<Page> =>
  listPage(ctx, ctx.catalog.resources.Circuit, circuitsOfAccess(pair), args, info);

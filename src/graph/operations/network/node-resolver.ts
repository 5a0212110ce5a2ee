import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField, notFound } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Node, parseNodeId } from '../../../kernel/graph/node.js';
import { SESSION } from '../../../kernel/declare/permissions.js';
import { readEntity } from '../../../kernel/graph/resolvers.js';
import type { Row } from '../../../base/row.js';

@Resolver()
export class NodeResolver {
  @Needs(SESSION)
  @Query(() => Node, {
    nullable: true,
    description: 'One entity of any type by its `nodeId`, with the permissions of its type.',
  })
  async node(
    @Arg('id', () => ID, { description: 'A `nodeId`.' }) nodeId: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row> {
    const known = parseNodeId(nodeId);
    const resource = known && ctx.catalog.find(known.type);
    if (!resource) throw invalidField('id', 'id is no nodeId of an entity', nodeId);
    const row = await readEntity(ctx, resource, known.id, info);
    if (!row) throw notFound(resource.label, known.id);
    return { ...row, __typename: resource.name };
  }
}

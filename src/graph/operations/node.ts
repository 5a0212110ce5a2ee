import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../kernel/context.js';
import { invalidField, notFound } from '../../kernel/errors.js';
import { Needs } from '../../kernel/needs.js';
import { Node, parseNodeId } from '../../kernel/node.js';
import { SESSION } from '../../kernel/permissions.js';
import { readEntity } from '../../kernel/resolvers.js';
import type { Row } from '../../kernel/row.js';

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

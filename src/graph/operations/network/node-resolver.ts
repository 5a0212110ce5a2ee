import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField, notFound } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Node, parseNodeId } from '../../../kernel/graph/node.js';
import { SESSION } from '../../../kernel/declare/permissions.js';
import { readEntity } from '../../../kernel/graph/resolvers.js';
import type { Resource } from '../../../kernel/declare/resource.js';
import type { SelectedEntity } from '../../../kernel/declare/rows.js';

/** An entity of any type, with the name of its type. */
export type AnyEntity = SelectedEntity & { readonly __typename: string };

/** Reads the entity for a field of the type `Node`, if the caller may see it. */
export async function readNode(
  ctx: RequestContext,
  resource: Resource,
  id: string,
  info: GraphQLResolveInfo,
): Promise<AnyEntity | undefined> {
  const row = await readEntity(ctx, resource, id, info);
  return row && { ...row, __typename: resource.name };
}

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
  ): Promise<AnyEntity> {
    const parsedId = parseNodeId(nodeId);
    const resource = parsedId && ctx.catalog.find(parsedId.type);
    if (!resource) throw invalidField('id', 'id is no nodeId of an entity', nodeId);
    const entity = await readNode(ctx, resource, parsedId.id, info);
    if (!entity) throw notFound(resource.label, parsedId.id);
    return entity;
  }
}

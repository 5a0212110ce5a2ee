import { Arg, Ctx, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { pageOfTexts } from '../../../kernel/filter/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { PAGINATION } from '../../../kernel/graph/list-types.js';
import { kebabCase, upperFirst } from '../../../base/names.js';
import { objectOf, STRING } from '../../../kernel/declare/rest-schema.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest, type RestAnswer, type RestOperation } from '../../../kernel/graph/rest-operation.js';
import { may, permit, SESSION } from '../../../kernel/declare/permissions.js';
import type { AttributeUsage, EntityKind } from '../../../kernel/policy/index.js';

const KIND = enumOf(
  'RoleAttributeKind',
  {
    identity: 'Identities.',
    service: 'Services.',
    edgeRouter: 'Edge routers.',
    postureCheck: 'Posture checks.',
  } satisfies Record<EntityKind, string>,
  'The kind of entity with the attributes.',
);

/** The permission to read entities of each kind. */
const PERMISSION_OF: Readonly<Record<EntityKind, string>> = {
  identity: 'identity',
  service: 'service',
  edgeRouter: 'router',
  postureCheck: 'posture-check',
};

interface TextPage<T> {
  readonly nodes: readonly T[];
  readonly totalCount: number;
  readonly pagination: { limit: number | null; offset: number; totalCount: number };
}

@ObjectType({ description: 'Role attributes that are in use.', simpleResolvers: true })
class RoleAttributePage {
  @Field(() => [String], { description: 'The attributes, in byte order.' })
  nodes!: string[];

  @Field(() => Int, { description: 'Number of matches.' })
  totalCount!: number;

  @Field(() => PAGINATION, { description: 'The effective paging.' })
  pagination!: object;
}

@ObjectType({ description: 'Users of a role attribute of one kind.', simpleResolvers: true })
class RoleAttributeUsers {
  @Field(() => String, {
    description: 'The kind by the name of its list: `identities`, `servicePolicies`.',
  })
  collection!: string;

  @Field(() => Int, { description: 'Number of users.' })
  count!: number;

  @Field(() => [ID], {
    nullable: true,
    description: 'Their ids, in byte order; null unless `withIds` asks for them.',
  })
  ids!: readonly string[] | null;
}

@ObjectType({ description: 'The uses of a role attribute.', simpleResolvers: true })
class RoleAttributeUsage {
  @Field(() => String, { description: 'The attribute.' })
  roleAttribute!: string;

  @Field(() => [RoleAttributeUsers], {
    description: 'The entities that carry it, and the policies that name it, by their kinds.',
  })
  usage!: readonly RoleAttributeUsers[];
}

@ObjectType({ description: 'Role attributes with their users.', simpleResolvers: true })
class RoleAttributeUsagePage {
  @Field(() => [RoleAttributeUsage], { description: 'In byte order of the attributes.' })
  nodes!: RoleAttributeUsage[];

  @Field(() => Int, { description: 'Number of matches.' })
  totalCount!: number;

  @Field(() => PAGINATION, { description: 'The effective paging.' })
  pagination!: object;
}

/** Gives the REST operations, one path for each kind. */
const forEachKind = (end: string, plural: string, answer: RestAnswer): RestOperation[] =>
  Object.entries(PERMISSION_OF).map(([kind, entity]) => ({
    method: 'GET',
    path: `/${kebabCase(kind)}${end}`,
    operationId: `list${upperFirst(kind)}${plural}`,
    tag: 'role-attributes',
    permission: may(entity, 'read'),
    arguments: {
      kind: { value: kind },
    },
    answer,
  }));

const USAGE: RestAnswer = {
  kind: 'list',
  fields: ['id'],
  // REST clients find users by their collections.
  view: ({ roleAttribute, usage }: RoleAttributeUsage) => ({
    roleAttribute,
    usage: Object.fromEntries(
      usage.map(({ collection, count, ids }) => [collection, ids ? { count, ids } : { count }]),
    ),
  }),
  schema: objectOf({ roleAttribute: STRING, usage: { type: 'object' } }),
};

@Resolver()
export class RoleAttributesResolver {
  @Rest(...forEachKind('-role-attributes', 'RoleAttributes', { kind: 'list', fields: ['id'] }))
  @Needs(SESSION)
  @Query(() => RoleAttributePage, {
    description:
      'The role attributes that at least one entity of the kind carries. All in one page unless `filter` sets a limit.',
  })
  roleAttributes(
    @Arg('kind', () => KIND, { description: 'The kind of entity.' }) kind: EntityKind,
    @Arg('filter', () => String, {
      nullable: true,
      description: 'Condition on `id`, the text of the attribute; may sort, skip and limit.',
    })
    filter: string | undefined,
    @Ctx() ctx: RequestContext,
  ): Promise<TextPage<string>> {
    permit(ctx, may(PERMISSION_OF[kind], 'read'));
    return textPage(ctx, ctx.modules.policy.attributesInUse(kind), filter);
  }

  // The second path is that of earlier releases of this product.
  @Rest(
    ...forEachKind('-role-attribute-usage', 'RoleAttributeUsage', USAGE),
    ...forEachKind('-role-attributes/usage', 'RoleAttributesUsage', USAGE),
  )
  @Needs(SESSION)
  @Query(() => RoleAttributeUsagePage, {
    description: 'The role attributes that entities carry or policies name, with their users.',
  })
  async roleAttributeUsage(
    @Arg('kind', () => KIND, { description: 'The kind of entity.' }) kind: EntityKind,
    @Arg('filter', () => String, { nullable: true, description: 'As for `roleAttributes`.' })
    filter: string | undefined,
    @Arg('withIds', () => Boolean, {
      defaultValue: false,
      description: 'Whether to include the ids of the users.',
    })
    withIds: boolean,
    @Ctx() ctx: RequestContext,
  ): Promise<TextPage<RoleAttributeUsage>> {
    permit(ctx, may(PERMISSION_OF[kind], 'read'));
    const all = ctx.modules.policy.attributeUsage(kind, withIds);
    const byName = new Map(all.map((one) => [one.roleAttribute, shownUsage(one)]));
    const page = await textPage(ctx, [...byName.keys()], filter);
    return { ...page, nodes: page.nodes.flatMap((name) => byName.get(name) ?? []) };
  }
}

const shownUsage = ({ roleAttribute, usage }: AttributeUsage): RoleAttributeUsage => ({
  roleAttribute,
  usage: Object.entries(usage).map(([collection, users]) => ({ collection, ...users })),
});

async function textPage(
  ctx: RequestContext,
  all: readonly string[],
  filter: string | undefined,
): Promise<TextPage<string>> {
  const { texts, total, limit, offset } = await pageOfTexts(ctx.store, all, filter);
  const pagination = { limit: limit === 'none' ? null : limit, offset, totalCount: total };
  return { nodes: texts, totalCount: total, pagination };
}

import { Arg, Ctx, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import {
  compileOrder,
  compilePredicate,
  effectivePage,
  orderBySql,
  parseQuery,
  symbolTable,
} from '../../../filter/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { PAGINATION } from '../../../kernel/graph/list-types.js';
import { kebabCase, upperFirst } from '../../../base/names.js';
import { BOOLEAN, objectOf, STRING } from '../../../kernel/declare/rest-schema.js';
import { Needs } from '../../../kernel/graph/needs.js';
import {
  Rest,
  type Parameter,
  type RestAnswer,
  type RestOperation,
} from '../../../kernel/graph/rest-operation.js';
import { may, permit, SESSION } from '../../../kernel/declare/permissions.js';
import { column, raw, sql, TRUE } from '../../../base/sql.js';
import type { AttributeUsage, EntityKind } from '../../../policy/index.js';

const KIND = enumOf(
  'RoleAttributeKind',
  {
    identity: 'Identities.',
    service: 'Services.',
    edgeRouter: 'Edge routers.',
    postureCheck: 'Posture checks.',
  } satisfies Record<EntityKind, string>,
  'What kind of entity carries the attributes.',
);

/** The permission that reading entities of the kind takes. */
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

  @Field(() => Int, { description: 'How many match.' })
  totalCount!: number;

  @Field(() => PAGINATION, { description: 'The effective paging.' })
  pagination!: object;
}

@ObjectType({ description: 'Users of a role attribute of one kind.', simpleResolvers: true })
class RoleAttributeUsers {
  @Field(() => String, {
    description: 'The kind, as its list is called: `identities`, `servicePolicies`.',
  })
  collection!: string;

  @Field(() => Int, { description: 'How many they are.' })
  count!: number;

  @Field(() => [ID], {
    nullable: true,
    description: 'Their ids, in byte order; null unless `withIds` asks for them.',
  })
  ids!: readonly string[] | null;
}

@ObjectType({ description: 'Where a role attribute is used.', simpleResolvers: true })
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

  @Field(() => Int, { description: 'How many match.' })
  totalCount!: number;

  @Field(() => PAGINATION, { description: 'The effective paging.' })
  pagination!: object;
}

/** The only thing that an attribute can be filtered by is its own text, under the name `id`. */
const SYMBOLS = symbolTable('role attribute', [
  {
    name: 'id',
    type: 'string',
    shape: 'value',
    nullable: false,
    sql: (alias) => sql`(${column(alias, 'id')} collate "C")`,
  },
]);

/** The same operation on REST, under a path for each kind. */
const forEachKind = (below: string, plural: string, answer: RestAnswer): RestOperation[] =>
  Object.entries(PERMISSION_OF).map(([kind, entity]) => ({
    method: 'GET',
    path: `/${kebabCase(kind)}-role-attributes${below}`,
    operationId: `list${upperFirst(kind)}${plural}`,
    tag: 'role-attributes',
    permission: may(entity, 'read'),
    arguments: {
      kind: { value: kind },
      // Any other text than `true` is false.
      withIds: ({ query }) => query.get('withIds')?.at(-1) === 'true',
    },
    parameters: below === '' ? [] : [WITH_IDS],
    answer,
  }));

const WITH_IDS: Parameter = {
  name: 'withIds',
  in: 'query',
  description: 'Whether to name the users.',
  schema: BOOLEAN,
};

const USAGE: RestAnswer = {
  kind: 'list',
  fields: ['id'],
  // Clients look users up by their collections.
  view: ({ roleAttribute, usage }: RoleAttributeUsage) => ({
    roleAttribute,
    usage: Object.fromEntries(usage.map(({ collection, ...users }) => [collection, users])),
  }),
  schema: objectOf({ roleAttribute: STRING, usage: { type: 'object' } }),
};

@Resolver()
export class RoleAttributesResolver {
  @Rest(...forEachKind('', 'RoleAttributes', { kind: 'list', fields: ['id'] }))
  @Needs(SESSION)
  @Query(() => RoleAttributePage, {
    description:
      'The role attributes that at least one entity of the kind carries. Not paged unless `filter` says so.',
  })
  roleAttributes(
    @Arg('kind', () => KIND, { description: 'Of which entities.' }) kind: EntityKind,
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

  @Rest(...forEachKind('/usage', 'RoleAttributeUsage', USAGE))
  @Needs(SESSION)
  @Query(() => RoleAttributeUsagePage, {
    description: 'The role attributes that entities carry or policies name, with their users.',
  })
  async roleAttributeUsage(
    @Arg('kind', () => KIND, { description: 'Of which entities.' }) kind: EntityKind,
    @Arg('filter', () => String, { nullable: true, description: 'As for `roleAttributes`.' })
    filter: string | undefined,
    @Arg('withIds', () => Boolean, {
      defaultValue: false,
      description: 'Whether to name the users.',
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

/** A page without texts has one row, for the total. */
type TextRow = { total: number; id: string | null };

/** Filters, orders and cuts texts by the filter language, where its one definition is: in SQL. */
async function textPage(
  ctx: RequestContext,
  texts: readonly string[],
  filter: string | undefined,
): Promise<TextPage<string>> {
  const query = filter ? parseQuery(filter) : {};
  const where = query.predicate ? compilePredicate(query.predicate, SYMBOLS, 'e') : TRUE;
  const order = orderBySql(compileOrder(query.sort ?? [], SYMBOLS, 'e'));
  const { limit, offset } = effectivePage({ limit: -1 }, query);
  const cut = limit === 'none' ? raw('') : raw(` limit ${String(limit)}`);
  const rows = await ctx.store.query(
    sql<TextRow>`with "all" as (select * from unnest(${texts}::text[]) "e"("id") where ${where})
      select (select count(*)::int from "all") as total, "e"."id" from (select 1) one
      left join (select * from "all" "e" order by ${order}${cut} offset ${offset}::bigint) "e" on true`,
  );
  const totalCount = rows[0]?.total ?? 0;
  const nodes = rows.flatMap(({ id }) => id ?? []);
  return {
    nodes,
    totalCount,
    pagination: { limit: limit === 'none' ? null : limit, offset, totalCount },
  };
}

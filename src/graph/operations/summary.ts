import { GraphQLJSONObject } from 'graphql-scalars';
import { Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../kernel/context.js';
import { Needs } from '../../kernel/needs.js';
import { may, permits, READER } from '../../kernel/permissions.js';
import type { Resource } from '../../kernel/resource.js';
import { join, raw, sql, TRUE } from '../../kernel/sql.js';
import { scoped } from '../../kernel/symbols.js';

/** Names that clients know, where they are not the name of the list. */
const KEYS: Readonly<Record<string, string>> = {
  CertificateAuthority: 'cas',
  EdgeRouter: 'routers.edge',
};

const keyOf = (resource: Resource): string => KEYS[resource.name] ?? resource.list;

/** Records of what was are no entities. */
const isCountedFor = ({ caller }: RequestContext, { options }: Resource): boolean =>
  options.isRecord !== true && permits(caller, may(options.permission, 'read'));

@Resolver()
export class SummaryResolver {
  @Needs(READER)
  @Query(() => GraphQLJSONObject, {
    description: 'Collection -> how many entities it has, of those that the caller may read.',
  })
  async summary(@Ctx() ctx: RequestContext): Promise<Record<string, number>> {
    const counted = [...ctx.catalog.all()].filter((r) => isCountedFor(ctx, r));
    if (counted.length === 0) return {};
    const counts = counted.map(
      (r) =>
        sql`select ${keyOf(r)}::text as key, count(*)::int as count from ${raw(`"${r.table}"`)} "e" where ${scoped(r, 'e', TRUE)}`,
    );
    const rows = await ctx.store.query(join(counts, ' union all '));
    return Object.fromEntries(rows.map((row) => [String(row.key), Number(row.count)]));
  }
}

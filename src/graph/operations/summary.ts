import { GraphQLJSONObject } from 'graphql-scalars';
import { Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../kernel/context.js';
import { Needs } from '../../kernel/needs.js';
import { ADMIN } from '../../kernel/permissions.js';
import type { Resource } from '../../kernel/resource.js';
import { join, raw, sql, TRUE } from '../../kernel/sql.js';
import { scoped } from '../../kernel/symbols.js';

/** Names that clients know, where they are not the name of the list. */
const KEYS: Readonly<Record<string, string>> = {
  CertificateAuthority: 'cas',
  EdgeRouter: 'routers.edge',
};

const keyOf = (resource: Resource): string => KEYS[resource.name] ?? resource.list;

@Resolver()
export class SummaryResolver {
  @Needs(ADMIN)
  @Query(() => GraphQLJSONObject, { description: 'Collection -> how many entities it has.' })
  async summary(@Ctx() ctx: RequestContext): Promise<Record<string, number>> {
    const resources = [...ctx.catalog.all()].filter(({ options }) => options.isRecord !== true);
    const counts = resources.map(
      (r) =>
        sql`select ${keyOf(r)}::text as key, count(*)::int as count from ${raw(`"${r.table}"`)} "e" where ${scoped(r, 'e', TRUE)}`,
    );
    const rows = await ctx.store.query(join(counts, ' union all '));
    const summary = Object.fromEntries(rows.map((row) => [String(row.key), Number(row.count)]));
    const routers = (summary['routers.edge'] ?? 0) + (summary.transitRouters ?? 0);
    return { ...summary, routers };
  }
}

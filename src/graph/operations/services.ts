import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { columnsFor } from '../../kernel/columns.js';
import type { RequestContext } from '../../kernel/context.js';
import { notFound } from '../../kernel/errors.js';
import { Needs } from '../../kernel/needs.js';
import { SESSION } from '../../kernel/permissions.js';
import type { Row } from '../../kernel/row.js';
import { requested } from '../../kernel/selection.js';
import { Service } from '../../resources/service.js';
import { visibleServices } from '../../resources/service-view.js';

@Resolver()
export class ServicesResolver {
  @Needs(SESSION)
  @Query(() => Service, {
    nullable: true,
    description:
      'One service that the caller may dial or bind; being an administrator adds nothing here.',
  })
  async currentService(
    @Arg('id', () => ID, { description: 'Id of the service.' }) id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row> {
    const resource = ctx.catalog.get('Service');
    const columns = columnsFor(resource, requested(info), ctx.catalog, info);
    const visible = (alias: string) => visibleServices(ctx, alias);
    const row = await ctx.reader.entity({ resource, columns, id, visible });
    if (!row) throw notFound(resource.label, id);
    return row;
  }
}

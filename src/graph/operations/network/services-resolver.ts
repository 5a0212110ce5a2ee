import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { sessions } from '../../../data/rows/session/index.js';
import { columnsFor } from '../../../kernel/read/columns.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { failure, notFound } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { CLIENT, Rest } from '../../../kernel/graph/rest-operation.js';
import { SESSION } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { requested } from '../../../kernel/read/selection.js';

import { Service } from '../../../resources/services/service.js';
import { visibleServices } from '../../../resources/services/service-view.js';

@Resolver()
export class ServicesResolver {
  @Rest({
    on: CLIENT,
    method: 'GET',
    path: '/services/{id}',
    operationId: 'detailService',
    arguments: { sessionToken: 'default' },
    answer: { kind: 'entity', hasETag: true },
  })
  @Needs(SESSION)
  @Query(() => Service, {
    nullable: true,
    description: 'One service that the caller may dial or bind; administrators see no others here.',
  })
  async currentService(
    @Arg('id', () => ID, { description: 'Id of the service.' }) id: string,
    @Arg('sessionToken', () => String, {
      nullable: true,
      description: 'Token of a live session of the own API session; UNAUTHORIZED for any other.',
    })
    sessionToken: string | null,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Service'>> {
    if (typeof sessionToken === 'string') await checkOwnSession(ctx, sessionToken);
    const resource = ctx.catalog.resources.Service;
    const columns = columnsFor(resource, requested(info), ctx.catalog, info);
    const visible = (alias: string) => visibleServices(ctx, alias);
    const row = await ctx.reader.entity({ resource, columns, id, visible });
    if (!row) throw notFound(resource.label, id);
    return row;
  }
}

/** Clients prove with the token that they ask about a session of their own. */
async function checkOwnSession(ctx: RequestContext, token: string): Promise<void> {
  const claims = await ctx.modules.sessionTokens.verifySessionToken(token, ctx.now());
  if (claims.apiSessionId !== ctx.caller?.apiSessionId) {
    throw failure('UNAUTHORIZED', 'the session token belongs to another API session');
  }
  // SDKs ask so whether their session still exists, and open another one if not.
  if (!(await sessions.exists(ctx.store, claims.sessionId))) {
    throw failure('UNAUTHORIZED', 'the session of the session token has ended');
  }
}

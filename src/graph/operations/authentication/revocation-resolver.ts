import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import type { JsonObject } from '../../../base/row.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { originOf } from '../../../kernel/write/write.js';
import { REVOCATION_TYPE, Revocation } from '../../../resources/trust/revocation.js';
import { revokeIn, type RevocationType } from '../../../trust/auth/index.js';
import { readOwn } from '../../own.js';

@Resolver()
export class RevocationResolver {
  @Rest({
    method: 'POST',
    path: '/revocations',
    operationId: 'createRevocation',
    errors: [404],
    answer: { kind: 'created', collection: 'revocations' },
  })
  @Needs(ADMIN)
  @Mutation(() => Revocation, {
    description:
      'Ends a token, an API session, or all API sessions of an identity. An earlier revocation with the id is replaced.',
  })
  async revoke(
    @Arg('id', () => ID, { description: 'Id of the token, the API session or the identity.' })
    id: string,
    @Arg('type', outputType(REVOCATION_TYPE), { description: 'What it ends.' })
    type: RevocationType,
    @Arg('tags', () => GraphQLJSONObject, {
      nullable: true,
      description: 'Free names with values of null, string, number or boolean.',
    })
    tags: JsonObject | null | undefined,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Revocation'> | undefined> {
    const revocation = { id, type, tags: tags ?? {} };
    const storedId = await ctx.store.write(originOf(ctx), (tx) => revokeIn(ctx, tx, revocation));
    return readOwn(ctx, 'Revocation', storedId, info);
  }
}

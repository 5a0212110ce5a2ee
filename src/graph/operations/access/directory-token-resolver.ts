import { Arg, Ctx, Field, ID, Mutation, ObjectType, Resolver } from 'type-graphql';
import { issueTokenIn, type IssuedDirectoryToken } from '../../../access/directories/index.js';
import { DateTime } from '../../../base/date-time.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { originOf } from '../../../kernel/write/write.js';

@ObjectType('IssuedDirectoryToken', {
  description: 'A new token of a directory. This answer alone shows its secret.',
  simpleResolvers: true,
})
class ShownDirectoryToken implements IssuedDirectoryToken {
  @Field(() => ID, { description: 'Id of the token, by which it can be deleted.' })
  id!: string;

  @Field(() => String, { description: 'The secret, which the provider sends as a bearer token.' })
  token!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it stops to count; null: never.' })
  expiresAt!: Date | null;
}

@Resolver()
export class DirectoryTokenResolver {
  @Rest({
    method: 'POST',
    path: '/directories/{id}/tokens',
    errors: [404],
    status: 201,
    answer: { kind: 'data' },
  })
  @Needs(ADMIN)
  @Mutation(() => ShownDirectoryToken, {
    description:
      'Issues a token of a directory. Several count at once, so that one can replace another without a break.',
  })
  issueDirectoryToken(
    @Arg('id', () => ID, { description: 'Id of the directory.' }) id: string,
    @Arg('note', () => String, {
      nullable: true,
      description: 'Where it is used, at most 200 characters.',
    })
    note: string | null | undefined,
    @Arg('expiresAt', () => DateTime, {
      nullable: true,
      description: 'When it stops to count, in the future; default: never.',
    })
    expiresAt: Date | null | undefined,
    @Ctx() ctx: RequestContext,
  ): Promise<IssuedDirectoryToken> {
    const token = { directoryId: id, note: note ?? null, expiresAt: expiresAt ?? null };
    return ctx.store.write(originOf(ctx), (tx) => issueTokenIn(ctx, tx, token));
  }
}

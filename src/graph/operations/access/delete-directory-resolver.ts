import { Arg, Ctx, Field, ID, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { deleteDirectory, type DeletedWithDirectory } from '../../../access/directories/index.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';

@ObjectType('DeletedWithDirectory', {
  description: 'The users and groups that were deleted with a directory.',
  simpleResolvers: true,
})
class ShownDeletion implements DeletedWithDirectory {
  @Field(() => Int, { description: 'Number of its users, deleted or released.' })
  userCount!: number;

  @Field(() => Int, { description: 'Number of its groups.' })
  groupCount!: number;
}

@Resolver()
export class DeleteDirectoryResolver {
  @Rest({
    method: 'POST',
    path: '/directories/{id}/delete-with-users',
    errors: [404],
    answer: { kind: 'data' },
  })
  @Needs(ADMIN)
  @Mutation(() => ShownDeletion, {
    description:
      'Deletes a directory with its tokens, users and groups. Many users are deleted in several transactions; after an error the same operation goes on.',
  })
  deleteDirectoryWithUsers(
    @Arg('id', () => ID, { description: 'Id of the directory.' }) id: string,
    @Arg('deletesIdentities', () => Boolean, {
      defaultValue: false,
      description:
        'Whether the identities of the users are deleted, too. Otherwise they stay, without the role attributes of the directory.',
    })
    deletesIdentities: boolean,
    @Ctx() ctx: RequestContext,
  ): Promise<DeletedWithDirectory> {
    return deleteDirectory(ctx, id, deletesIdentities);
  }
}

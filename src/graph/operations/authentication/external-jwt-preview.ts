import { Arg, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { may } from '../../../kernel/declare/permissions.js';
import { Needs } from '../../../kernel/graph/needs.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import {
  previewExternalJwt,
  signerParts,
  type ExternalJwtPreview as Preview,
  type JudgedAdminClaim as JudgedRights,
} from '../../../trust/auth/index.js';
import { LoginPreview, shownTo } from './login-preview-type.js';

@ObjectType({
  description: 'A rule of a signer that gives rights, held against a token.',
  simpleResolvers: true,
})
class JudgedAdminClaim implements JudgedRights {
  @Field(() => String, { description: 'The claim, as the signer names it.' })
  claim!: string;

  @Field(() => Boolean, { description: 'Whether the rule makes an administrator.' })
  isAdmin!: boolean;

  @Field(() => [String], { description: 'The permissions of the rule.' })
  permissions!: readonly string[];

  @Field(() => String, {
    nullable: true,
    description: 'Why the rule gives this token nothing; null: it gives its rights to a login.',
  })
  reason!: string | null;
}

@ObjectType({
  description: 'The outcome that a login by a token would have.',
  simpleResolvers: true,
})
export class ExternalJwtPreview extends LoginPreview implements Preview {
  @Field(() => ID, {
    nullable: true,
    description: 'Id of the enabled signer that the token names as its issuer.',
  })
  signerId!: string | null;

  @Field(() => [JudgedAdminClaim], {
    description: 'The rules of the signer that give rights, also if the token is not valid.',
  })
  adminClaims!: readonly JudgedAdminClaim[];

  @Field(() => Boolean, { description: 'Whether the session would have all rights by the token.' })
  grantedAdmin!: boolean;

  @Field(() => [String], {
    description: 'The permissions that the session would have by the token.',
  })
  grantedPermissions!: readonly string[];
}

@Resolver()
export class ExternalJwtPreviewResolver {
  @Needs(may('external-jwt-signer', 'read'))
  @Query(() => ExternalJwtPreview, {
    description:
      'Judges a JWT of an external signer as a login would, and tells why it would be refused. Nobody is logged in.',
  })
  async previewExternalJwt(
    @Arg('token', () => String, { description: 'The JWT.' }) token: string,
    @Ctx() ctx: RequestContext,
  ): Promise<ExternalJwtPreview> {
    return shownTo(ctx.caller, await previewExternalJwt(ctx, token, signerParts(ctx)));
  }
}

import { Arg, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { LOGIN_REFUSALS, type LoginRefusal } from '../../../data/rows/login/index.js';
import { may, permits } from '../../../kernel/declare/permissions.js';
import { Needs } from '../../../kernel/graph/needs.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import {
  previewExternalJwt,
  signerParts,
  type ExternalJwtPreview as Preview,
  type JudgedAdminClaim as JudgedRights,
  type JudgedCondition as Judged,
} from '../../../trust/auth/index.js';
import { REFUSAL } from '../controller/login-overview.js';

@ObjectType({
  description: 'A condition of a signer, held against a token.',
  simpleResolvers: true,
})
class JudgedCondition implements Judged {
  @Field(() => String, { description: 'The claim, as the signer names it.' })
  claim!: string;

  @Field(() => Boolean, { description: 'Whether the token meets it.' })
  isMet!: boolean;
}

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
export class ExternalJwtPreview implements Preview {
  @Field(() => REFUSAL, {
    nullable: true,
    description: 'Why the login would be refused; null: it would succeed.',
  })
  refusal!: LoginRefusal | null;

  @Field(() => String, { nullable: true, description: 'The same as a text.' })
  reason!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the enabled signer that the token names as its issuer.',
  })
  signerId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the identity that it names, if there is one, the token is valid, and the caller may read identities.',
  })
  identityId!: string | null;

  @Field(() => Boolean, { description: 'Whether the login would create the identity.' })
  createsIdentity!: boolean;

  @Field(() => [JudgedCondition], {
    description: 'The conditions of the signer, also if the token is not valid.',
  })
  conditions!: readonly JudgedCondition[];

  @Field(() => [String], { description: 'The role attributes that the login would give.' })
  roleAttributes!: readonly string[];

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
    const { refusal, ...preview } = await previewExternalJwt(ctx, token, signerParts(ctx));
    const identityId = permits(ctx.caller, may('identity', 'read')) ? preview.identityId : null;
    return { ...preview, refusal, reason: refusal && LOGIN_REFUSALS[refusal], identityId };
  }
}

import { Field, ID, ObjectType } from 'type-graphql';
import { LOGIN_REFUSALS, type LoginRefusal } from '../../../data/rows/login/index.js';
import { may, permits } from '../../../kernel/declare/permissions.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type {
  JudgedCondition as Judged,
  LoginPreview as Preview,
} from '../../../trust/auth/index.js';
import { REFUSAL } from '../controller/login-overview.js';

@ObjectType({
  description: 'A condition of a signer or an authority, held against claims.',
  simpleResolvers: true,
})
class JudgedCondition implements Judged {
  @Field(() => String, { description: 'The claim, as the condition names it.' })
  claim!: string;

  @Field(() => Boolean, { description: 'Whether the claims meet it.' })
  isMet!: boolean;
}

/** The members that all previews of logins have. */
@ObjectType({
  description: 'The outcome that a login by claims would have.',
  simpleResolvers: true,
})
export abstract class LoginPreview implements Preview {
  @Field(() => REFUSAL, {
    nullable: true,
    description: 'Why the login would be refused; null: it would succeed.',
  })
  refusal!: LoginRefusal | null;

  @Field(() => String, { nullable: true, description: 'The same as a text.' })
  reason!: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the identity that it names, if there is one, the proof is valid, and the caller may read identities.',
  })
  identityId!: string | null;

  @Field(() => Boolean, { description: 'Whether the login would create the identity.' })
  createsIdentity!: boolean;

  @Field(() => [JudgedCondition], {
    description: 'The conditions of the signer or the authority.',
  })
  conditions!: readonly JudgedCondition[];

  @Field(() => [String], { description: 'The role attributes that the login would give.' })
  roleAttributes!: readonly string[];
}

/** A preview with the reason as a text, as far as the caller may see it. */
export const shownTo = <P extends Preview>(
  caller: RequestContext['caller'],
  preview: P,
): P & Pick<LoginPreview, 'reason'> => ({
  ...preview,
  reason: preview.refusal && LOGIN_REFUSALS[preview.refusal],
  identityId: permits(caller, may('identity', 'read')) ? preview.identityId : null,
});

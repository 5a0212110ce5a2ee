import { attribute, bool, int, object, text, textSet } from '../../kernel/declare/attribute.js';
import {
  normaliseAuthPolicy,
  refuseHigherRights,
  type AuthPolicySettings,
} from '../../trust/auth/index.js';
import { identities } from '../../data/rows/identity/index.js';
import { failure } from '../../base/errors.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { present } from '../../kernel/declare/rows.js';
import { mustExist } from '../../kernel/write/resolve-references.js';
import { childrenOf } from '../child-relations.js';
import { NamedEntity } from '../entity.js';

/** Login by client certificate. */
class AuthPolicyPrimaryCert {
  @attribute(bool(), { description: 'Whether it is allowed.', required: true, filter: true })
  allowed!: boolean;

  @attribute(bool(), {
    description:
      'Whether a certificate counts after its end, and before its begin; it does under the policy `default`, unless that is changed.',
    required: true,
    filter: true,
  })
  allowExpiredCerts!: boolean;
}

/** Login by a JWT of an external signer. */
class AuthPolicyPrimaryExtJwt {
  @attribute(bool(), { description: 'Whether it is allowed.', required: true, filter: true })
  allowed!: boolean;

  @attribute(textSet(), {
    description: 'Ids of the signers that count; empty: all of them.',
    required: true,
  })
  allowedSigners!: string[];
}

/** Login by username and password. */
class AuthPolicyPrimaryUpdb {
  @attribute(bool(), { description: 'Whether it is allowed.', required: true, filter: true })
  allowed!: boolean;

  @attribute(int(), {
    description: 'Minutes that an identity is disabled after too many failures; 0: until enabled.',
    required: true,
  })
  lockoutDurationMinutes!: number;

  @attribute(int(), {
    description: 'Failures in a row that disable the identity; 0: never.',
    required: true,
    filter: true,
  })
  maxAttempts!: number;

  @attribute(int(), {
    description: 'Shortest password in characters, at least 5.',
    required: true,
    filter: true,
  })
  minPasswordLength!: number;

  @attribute(bool(), {
    description: 'Whether a password needs upper and lower case.',
    required: true,
    filter: true,
  })
  requireMixedCase!: boolean;

  @attribute(bool(), {
    description: 'Whether a password needs a digit.',
    required: true,
    filter: true,
  })
  requireNumberChar!: boolean;

  @attribute(bool(), {
    description: 'Whether a password needs something beside letters and digits.',
    required: true,
    filter: true,
  })
  requireSpecialChar!: boolean;
}

/** The ways to log in. */
class AuthPolicyPrimary {
  @attribute(object(() => AuthPolicyPrimaryCert), {
    description: 'By client certificate.',
    required: true,
    filter: true,
  })
  cert!: AuthPolicyPrimaryCert;

  @attribute(object(() => AuthPolicyPrimaryExtJwt), {
    description: 'By external JWT.',
    required: true,
    filter: true,
  })
  extJwt!: AuthPolicyPrimaryExtJwt;

  @attribute(object(() => AuthPolicyPrimaryUpdb), {
    description: 'By username and password.',
    required: true,
    filter: true,
  })
  updb!: AuthPolicyPrimaryUpdb;
}

/** The factors that a login needs in addition. */
class AuthPolicySecondary {
  @attribute(text(), {
    description: 'Id of the signer whose JWT every request must carry as well.',
    nullable: true,
    filter: true,
    omitEmpty: true,
  })
  requireExtJwtSigner!: string | null;

  @attribute(bool(), {
    description: 'Whether a time-based one-time code is needed.',
    required: true,
    filter: true,
  })
  requireTotp!: boolean;
}

async function validate({ ctx, tx, verb, values, current }: Write<'AuthPolicy'>): Promise<void> {
  const before = verb === 'update' ? present(current, 'primary', 'secondary') : undefined;
  const settings = normaliseAuthPolicy(values.primary, values.secondary, before);
  Object.assign(values, settings);
  const { requireExtJwtSigner } = settings.secondary;
  const ids = [
    ...settings.primary.extJwt.allowedSigners,
    ...(requireExtJwtSigner ? [requireExtJwtSigner] : []),
  ];
  await mustExist(ctx, tx, 'ExternalJwtSigner', ids);
}

function refuseDefault({ verb, id }: Write<'AuthPolicy'>): void {
  if (verb === 'delete' && id === 'default') {
    throw failure('CAN_NOT_DELETE_REFERENCED_ENTITY', 'the default auth policy is always in use');
  }
}

/** A weaker policy would be a way in: a caller may not write a policy of identities with more rights. */
async function refusePolicyOfHigherRights({
  verb,
  ctx,
  tx,
  id,
}: Write<'AuthPolicy'>): Promise<void> {
  if (verb === 'create' || ctx.caller?.isAdmin !== false) return;
  const holders = await identities.rightsUnderPolicy(tx, id);
  for (const holder of holders) refuseHigherRights(ctx, holder);
}

async function before(write: Write<'AuthPolicy'>): Promise<void> {
  refuseDefault(write);
  await refusePolicyOfHigherRights(write);
}

/** Whether an auth policy names the signer anywhere. */
export const namesSigner = (
  { primary, secondary }: AuthPolicySettings,
  signerId: string,
): boolean =>
  primary.extJwt.allowedSigners.includes(signerId) || secondary.requireExtJwtSigner === signerId;

@resource({
  description: 'The ways in which identities may authenticate.',
  plural: 'AuthPolicies',
  path: 'auth-policies',
  permission: 'auth-policy',
  decides: { callers: 'all' },
  rest: { conflicts: ['delete'], namesOthers: true },
  counted: true,
  relations: [
    childrenOf('identities', 'Identity', 'authPolicyId', 'The identities under it.', false),
  ],
  hooks: { validate, before },
  isDrafted: true,
  exported: {
    nested: [
      { path: 'primary.extJwt.allowedSigners', form: 'list', target: 'ExternalJwtSigner' },
      { path: 'secondary.requireExtJwtSigner', form: 'one', target: 'ExternalJwtSigner' },
    ],
  },
})
export class AuthPolicy extends NamedEntity {
  @attribute(object(() => AuthPolicyPrimary), {
    description: 'The ways to log in.',
    required: true,
    filter: true,
  })
  primary!: AuthPolicyPrimary;

  @attribute(object(() => AuthPolicySecondary), {
    description: 'The additional factors.',
    required: true,
    filter: true,
  })
  secondary!: AuthPolicySecondary;
}

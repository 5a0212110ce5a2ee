import {
  attribute,
  bool,
  int,
  object,
  objects,
  reference,
  text,
  textSet,
  time,
} from '../../kernel/declare/attribute.js';
import type { Computed } from '../../kernel/declare/rows.js';
import {
  checkExternalJwtSigner,
  DEFAULT_CLAIM,
  type ExternalJwtSignerSettings,
} from '../../trust/auth/index.js';
import { failure } from '../../base/errors.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { parseJwtSigner } from '../../trust/pki/index.js';
import { namesSigner } from './auth-policy.js';
import { TARGET_TOKEN } from './authentication-signer.js';
import { applyManagementTrust } from './management-trust.js';
import { checkClaimedRoleAttributes, endClaimedRoleAttributes } from './claimed-role-attributes.js';
import { AdminClaim } from './admin-claim.js';
import { checkAdminClaims } from './admin-claim-hooks.js';
import { CertificateDetails, DETAILS_OF_PEM } from './certificate-details.js';
import { checkIdentityCreation } from './identity-creation.js';
import { VouchingEntity } from './vouching-entity.js';
import { endSessionsOfSigner } from './withdrawn-trust.js';
import { checkMayDelete } from '../identities/idle-hours.js';
import { sourceOfSigner } from '../../data/rows/external-jwt-signer/index.js';

const NO_CERTIFICATE = {
  certPem: null,
  fingerprint: null,
  commonName: null,
  notBefore: null,
  notAfter: null,
};

async function validate(write: Write<'ExternalJwtSigner'>): Promise<void> {
  const { verb, values, current } = write;
  // Stored signers have no null in members that only an input may set to null.
  const before = verb === 'create' ? undefined : (current as ExternalJwtSignerSettings);
  const settings = checkExternalJwtSigner(values, before);
  Object.assign(values, settings);
  if (settings.certPem === null) Object.assign(values, NO_CERTIFICATE);
  else {
    const { certPem, fingerprint, commonName, notBefore, notAfter } = parseJwtSigner(
      settings.certPem,
    );
    Object.assign(values, { certPem, fingerprint, commonName, notBefore, notAfter });
  }
  checkAdminClaims(write);
  applyManagementTrust(write);
  checkIdentityCreation(write);
  checkIdleDays(write);
  await checkClaimedRoleAttributes(write, sourceOfSigner(write.id));
}

/** A caller who has identities deleted could also delete them. */
function checkIdleDays({ ctx, values, current }: Write<'ExternalJwtSigner'>): void {
  const { idleDaysBeforeDeletion: before = null } = current;
  if (values.idleDaysBeforeDeletion !== before) checkMayDelete(ctx);
}

async function refuseInUse({ verb, ctx, tx, id }: Write<'ExternalJwtSigner'>): Promise<void> {
  if (verb !== 'delete') return;
  const policies = await tx.find(ctx.catalog.resources.AuthPolicy, {});
  const user = policies.find((policy) => namesSigner(policy, id));
  if (user) {
    throw failure('CAN_NOT_DELETE_REFERENCED_ENTITY', `referenced by authPolicy ${user.id}`);
  }
}

async function endWhatItGave(write: Write<'ExternalJwtSigner'>): Promise<void> {
  await endSessionsOfSigner(write);
  await endClaimedRoleAttributes(write, sourceOfSigner(write.id));
}

const optional = (description: string) => ({ description, nullable: true }) as const;

@resource({
  description: 'An issuer of JWTs that identities may log in with.',
  plural: 'ExternalJwtSigners',
  path: 'external-jwt-signers',
  permission: 'external-jwt-signer',
  decides: { callers: 'all' },
  rest: { conflicts: ['delete'] },
  counted: true,
  unique: [['issuer'], ['fingerprint'], ['kid'], ['roleAttributePrefix']],
  hooks: { validate, before: refuseInUse, after: endWhatItGave },
  isDrafted: true,
  exported: {
    unique: ['issuer', 'kid', 'fingerprint'],
  },
})
export class ExternalJwtSigner extends VouchingEntity {
  @attribute(text(), {
    description: 'The `iss` claim; unique.',
    required: true,
    filter: true,
    isExternalId: true,
  })
  issuer!: string;

  @attribute(text(), {
    description: 'The `aud` claim.',
    required: true,
    nullable: true,
    filter: true,
  })
  audience!: string | null;

  @attribute(bool(), { description: 'Whether its JWTs count.', required: true, filter: true })
  enabled!: boolean;

  @attribute(text(), {
    ...optional('Certificate of its key; or else `jwksEndpoint`.'),
    filter: true,
  })
  certPem!: string | null;

  @attribute(object(() => CertificateDetails), DETAILS_OF_PEM)
  certificateDetails!: Computed<CertificateDetails | null>;

  @attribute(text(), { ...optional('Key id that goes with `certPem`; unique.'), filter: true })
  kid!: string | null;

  @attribute(text(), {
    ...optional('SHA-1 of the certificate in lower-case hex; unique.'),
    write: 'never',
    filter: true,
    isExternalId: true,
    givenBy: 'certPem',
  })
  fingerprint!: string | null;

  @attribute(text(), {
    ...optional('Common name of the certificate.'),
    write: 'never',
    filter: true,
  })
  commonName!: string | null;

  @attribute(time(), { ...optional('When the certificate begins.'), write: 'never', filter: true })
  notBefore!: Date | null;

  @attribute(time(), { ...optional('When the certificate ends.'), write: 'never', filter: true })
  notAfter!: Date | null;

  @attribute(text(), optional('URL of its key set; or else `certPem`.'))
  jwksEndpoint!: string | null;

  @attribute(text(), {
    description: 'Claim that names the identity, as a JSON pointer.',
    default: DEFAULT_CLAIM,
    nullable: true,
    column: { default: null },
    filter: true,
  })
  claimsProperty!: string | null;

  @attribute(bool(), {
    description: 'Whether the claim holds an external id instead of an id.',
    nullable: true,
    default: false,
    filter: true,
  })
  useExternalId!: boolean | null;

  @attribute(objects(() => AdminClaim), {
    description:
      'Rules by which claims of its JWTs give rights in management, for the API session of the login. Only administrators write them, and they count only while the signer is trusted for management.',
    default: [],
    keptByReplace: true,
  })
  adminClaims!: AdminClaim[];

  @attribute(int(), {
    ...optional(
      'Days without an API session after which an identity is deleted that its first login created; null: never.',
    ),
    keptByReplace: true,
  })
  idleDaysBeforeDeletion!: number | null;

  @attribute(text(), { ...optional('Client id for its login page.'), filter: true })
  clientId!: string | null;

  @attribute(text(), optional('URL of its login page.'))
  externalAuthUrl!: string | null;

  @attribute(textSet(), { description: 'Scopes to ask for.', filter: true })
  scopes!: string[];

  @attribute(TARGET_TOKEN, {
    description: 'Which of its tokens to send.',
    nullable: true,
    default: 'ACCESS',
    filter: true,
  })
  targetToken!: 'ID' | 'ACCESS' | null;

  @attribute(bool(), {
    description: 'Whether its JWTs may enroll for a certificate.',
    nullable: true,
    default: false,
    filter: true,
  })
  enrollToCertEnabled!: boolean | null;

  @attribute(bool(), {
    description: 'Whether its JWTs may enroll identities that log in with them.',
    nullable: true,
    default: false,
    filter: true,
  })
  enrollToTokenEnabled!: boolean | null;

  @attribute(text(), {
    ...optional('Claim with the role attributes of enrolled identities.'),
    filter: true,
    omitEmpty: true,
  })
  enrollAttributeClaimsSelector!: string | null;

  @attribute(text(), {
    ...optional(
      'Claim with the name of enrolled identities, and of those that first logins create.',
    ),
    filter: true,
    omitEmpty: true,
  })
  enrollNameClaimsSelector!: string | null;

  @attribute(
    reference('AuthPolicy', { as: 'enrollAuthPolicy', onDelete: 'restrict', onRest: false }),
    {
      ...optional(
        'Id of the auth policy of enrolled identities, and of those that first logins create.',
      ),
      filter: true,
      omitEmpty: true,
    },
  )
  enrollAuthPolicyId!: string | null;
}

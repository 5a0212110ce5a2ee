import { randomUUID } from 'node:crypto';
import {
  attribute,
  bool,
  int,
  object,
  objects,
  oneOf,
  reference,
  text,
  textSet,
  time,
} from '../../kernel/declare/attribute.js';
import { invalidField } from '../../base/errors.js';
import {
  checkExternalIdClaim,
  mergeExternalIdClaim,
  type ExternalIdClaim as Claim,
} from '../../trust/auth/index.js';
import { sourceOfAuthority } from '../../data/rows/certificate-authority/index.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { attributeOf, type Computed, type RowOf } from '../../kernel/declare/rows.js';
import { parseAuthority } from '../../trust/pki/index.js';
import { normaliseAttributes } from '../../kernel/policy/index.js';
import { AUTHORITY_WARNING, WARNING, type Warning } from './authority-warning.js';
import {
  BUNDLE_ENDPOINT,
  BUNDLE_OPTIONS,
  BUNDLE_STATE,
  checkBundle,
  refuseBesideBundle,
  type BundleEndpoint,
  type BundleState,
} from './bundle-endpoint.js';
import { NOT_AFTER, NOT_BEFORE } from './certificate-validity.js';
import { checkMayDelete, IDLE_HOURS } from '../identities/idle-hours.js';
import { checkClaimedRoleAttributes, endClaimedRoleAttributes } from './claimed-role-attributes.js';
import { checkIdentityCreation } from './identity-creation.js';
import { deleteIssued } from './issuing-authority.js';
import { applyManagementTrust } from './management-trust.js';
import { CertificateDetails, DETAILS_OF_BUNDLE, DETAILS_OF_PEM } from './certificate-details.js';
import { checkSvidRules, SVID_RULES } from './svid-rules.js';
import { VouchingEntity } from './vouching-entity.js';
import { endSessionsOfAuthority } from './withdrawn-trust.js';

/** REST creates no authority that has these rules. */
const ON_THE_GRAPH_ALONE = [
  ...['conditions', 'roleAttributeClaims', 'roleAttributePrefix', 'roleAttributeMinutes'],
  ...['createsIdentities', 'newIdentitiesArePending', 'maxCreatedIdentities'],
];

const DEFAULT_NAME_FORMAT = '[caName]-[commonName]';

/** The place of an identity's external id in a certificate. */
class ExternalIdClaim {
  @attribute(
    oneOf('ClaimLocation', {
      COMMON_NAME: 'The common name of the subject.',
      SAN_URI: 'A URI among the alternative names.',
      SAN_EMAIL: 'An e-mail address among the alternative names.',
    }),
    {
      description: 'Part of the certificate.',
      nullable: true,
    },
  )
  location!: 'COMMON_NAME' | 'SAN_URI' | 'SAN_EMAIL' | null;

  @attribute(
    oneOf('ClaimMatcher', {
      ALL: 'Every value.',
      PREFIX: 'Values that begin with the criteria.',
      SUFFIX: 'Values that end with the criteria.',
      SCHEME: 'URIs with the scheme of the criteria.',
    }),
    {
      description: 'The values that count.',
      nullable: true,
    },
  )
  matcher!: 'ALL' | 'PREFIX' | 'SUFFIX' | 'SCHEME' | null;

  @attribute(text(), {
    description: 'The text that the matcher compares with.',
    nullable: true,
    default: '',
  })
  matcherCriteria!: string | null;

  @attribute(
    oneOf('ClaimParser', {
      NONE: 'The value is taken as it is.',
      SPLIT: 'The value is split at the criteria.',
    }),
    {
      description: 'The way in which a value is split.',
      nullable: true,
    },
  )
  parser!: 'NONE' | 'SPLIT' | null;

  @attribute(text(), { description: 'Where `SPLIT` splits.', nullable: true, default: '' })
  parserCriteria!: string | null;

  @attribute(int(), {
    description: 'Which of the results is the id, from 0.',
    nullable: true,
    default: 0,
  })
  index!: number | null;
}

/** A caller who has identities deleted could also delete them. */
function checkIdleHours({ ctx, values, current }: Write<'CertificateAuthority'>): void {
  const { idleHoursBeforeDeletion: before = null } = current;
  const { idleHoursBeforeDeletion: after = before } = values;
  if (after !== before) checkMayDelete(ctx);
}

async function validate(write: Write<'CertificateAuthority'>): Promise<void> {
  const { verb, values, current } = write;
  checkIdleHours(write);
  checkBundle(write);
  if (verb === 'create') Object.assign(values, certificateOf(values));
  if (values.identityNameFormat === '') values.identityNameFormat = DEFAULT_NAME_FORMAT;
  if (values.identityRoles !== undefined) {
    values.identityRoles = normaliseAttributes('identityRoles', values.identityRoles);
  }
  values.externalIdClaim =
    verb === 'update'
      ? mergeExternalIdClaim(current.externalIdClaim as Claim | null, values.externalIdClaim)
      : checkExternalIdClaim(values.externalIdClaim);
  refuseBesideBundle(write);
  checkSvidRules(write);
  applyManagementTrust(write);
  checkIdentityCreation(write);
  await checkClaimedRoleAttributes(write, sourceOfAuthority(write.id));
}

type NewCertificate = Pick<
  RowOf<'CertificateAuthority'>,
  'certPem' | 'fingerprint' | 'verificationToken'
>;

/** Without a certificate of its own, the trust domain takes the place of the fingerprint, and so is unique. */
function certificateOf({
  certPem: given,
  bundleEndpoint,
}: Write<'CertificateAuthority'>['values']): NewCertificate {
  const verificationToken = randomUUID();
  if (bundleEndpoint) {
    const fingerprint = `spiffe://${bundleEndpoint.trustDomain}`;
    return { certPem: '', fingerprint, verificationToken };
  }
  if (typeof given !== 'string' || given === '') {
    throw invalidField('certPem', 'certPem in body is required', given ?? null);
  }
  const { certPem, fingerprint } = parseAuthority(given);
  return { certPem, fingerprint, verificationToken };
}

/** Deletes dependent rows: authenticators, enrollments that name the authority, and API sessions. */
async function before(write: Write<'CertificateAuthority'>): Promise<void> {
  if (write.verb === 'delete') await deleteIssued(write);
}

async function endWhatItGave(write: Write<'CertificateAuthority'>): Promise<void> {
  await endSessionsOfAuthority(write);
  await endClaimedRoleAttributes(write, sourceOfAuthority(write.id));
}

@resource({
  description: 'An authority of others whose certificates let identities enroll and log in.',
  plural: 'CertificateAuthorities',
  path: 'cas',
  permission: 'ca',
  rest: {
    lacks: ON_THE_GRAPH_ALONE,
    links: ({
      id,
      isVerified,
      isAutoCaEnrollmentEnabled,
      bundleEndpoint,
    }: RowOf<'CertificateAuthority'>) => ({
      ...(isVerified || bundleEndpoint ? {} : { verify: `cas/${id}/verify` }),
      ...(isAutoCaEnrollmentEnabled ? { jwt: `cas/${id}/jwt` } : {}),
    }),
  },
  label: 'ca',
  counted: true,
  unique: [['fingerprint'], ['roleAttributePrefix']],
  hooks: { validate, before, after: endWhatItGave },
  exported: {
    fixed: ['certPem'],
    unique: ['fingerprint'],
  },
})
export class CertificateAuthority extends VouchingEntity {
  @attribute(text(), {
    description:
      'The certificate, with its chain, as PEM; fixed at creation. Empty with `bundleEndpoint`, else required.',
    write: 'create',
    column: { default: null },
  })
  certPem!: string;

  @attribute(BUNDLE_ENDPOINT, BUNDLE_OPTIONS.endpoint)
  bundleEndpoint!: BundleEndpoint | null;

  @attribute(text(), BUNDLE_OPTIONS.roots)
  bundleRoots!: string | null;

  @attribute(objects(() => CertificateDetails), DETAILS_OF_BUNDLE)
  bundleRootDetails!: Computed<CertificateDetails[]>;

  @attribute(BUNDLE_STATE, BUNDLE_OPTIONS.state)
  bundleState!: BundleState | null;

  @attribute(object(() => CertificateDetails), DETAILS_OF_PEM)
  certificateDetails!: Computed<CertificateDetails | null>;

  @attribute(time(), NOT_BEFORE)
  notBefore!: Date | null;

  @attribute(time(), NOT_AFTER)
  notAfter!: Date | null;

  @attribute(text(), {
    description:
      'SHA-1 of the certificate in lower-case hex; of an authority with a bundle, `spiffe://` and its trust domain; unique.',
    write: 'never',
    filter: true,
    isExternalId: true,
    givenBy: (values) =>
      attributeOf(values, 'bundleEndpoint') ? 'bundleEndpoint.trustDomain' : 'certPem',
  })
  fingerprint!: string;

  @attribute(bool(), {
    description: 'Whether its owner has proved to hold its key, or its bundle was downloaded.',
    write: 'never',
    filter: true,
  })
  isVerified!: boolean;

  @attribute(WARNING, AUTHORITY_WARNING)
  warning!: Computed<Warning | null>;

  @attribute(text(), {
    description: 'Common name of the certificate that proves it.',
    write: 'never',
    filter: true,
  })
  verificationToken!: string;

  @attribute(bool(), {
    description: 'Whether its certificates may log in.',
    required: true,
    filter: true,
  })
  isAuthEnabled!: boolean;

  @attribute(bool(), {
    description: 'Whether its certificates may enroll identities that do not exist yet.',
    required: true,
    filter: true,
  })
  isAutoCaEnrollmentEnabled!: boolean;

  @attribute(bool(), {
    description: 'Whether its certificates may enroll with a one-time token.',
    required: true,
    filter: true,
  })
  isOttCaEnrollmentEnabled!: boolean;

  @attribute(textSet(), {
    description:
      'Role attributes of identities that it enrolls, and of those that first logins create.',
    required: true,
  })
  identityRoles!: string[];

  @attribute(IDLE_HOURS, {
    description:
      'The `idleHoursBeforeDeletion` of identities that it creates from now on, by auto-enrollment and at first logins; null: they stay.',
    keptByReplace: true,
    nullable: true,
    graphOnly: true,
    graphFilter: true,
  })
  idleHoursBeforeDeletion!: number | null;

  @attribute(text(), SVID_RULES.pathTemplate)
  svidPathTemplate!: string | null;

  @attribute(
    reference('AuthPolicy', { as: 'enrollAuthPolicy', onDelete: 'restrict', onRest: false }),
    SVID_RULES.authPolicyId,
  )
  enrollAuthPolicyId!: string | null;

  @attribute(text(), SVID_RULES.nameClaim)
  enrollNameClaimsSelector!: string | null;

  @attribute(text(), {
    description:
      'Name of identities that it enrolls, with `[caName]`, `[caId]`, `[commonName]`, `[requestedName]`, `[identityId]`.',
    default: DEFAULT_NAME_FORMAT,
    column: { default: null },
  })
  identityNameFormat!: string;

  @attribute(object(() => ExternalIdClaim), {
    description: 'Where its certificates name an external id.',
    nullable: true,
    omitEmpty: true,
    clearedByAbsence: true,
  })
  externalIdClaim!: ExternalIdClaim | null;
}

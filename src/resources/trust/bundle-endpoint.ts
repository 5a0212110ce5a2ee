import { isDeepStrictEqual } from 'node:util';
import { invalidField } from '../../base/errors.js';
import { attribute, object, oneOf, text, timeText } from '../../kernel/declare/attribute.js';
import type { Write } from '../../kernel/declare/resource.js';
import { checkBundleEndpoint, mergeBundleEndpoint } from '../../trust/auth/index.js';

/* An authority whose certificates are those of the bundle that a trust domain publishes. */

/** Where the bundle is, and how its server proves itself. */
class BundleEndpoint {
  @attribute(text(), {
    description:
      'The trust domain whose bundle it is, such as `prod.example`; fixed at creation, and of one authority alone.',
    required: true,
  })
  trustDomain!: string;

  @attribute(text(), {
    description: 'The `https` URL of the bundle. A redirection is refused.',
    required: true,
  })
  url!: string;

  @attribute(
    oneOf('BundleProfile', {
      HTTPS_WEB: 'By a certificate for the host name of the URL (`https_web`).',
      HTTPS_SPIFFE:
        'By an X509-SVID of the trust domain with the id `endpointSpiffeId` (`https_spiffe`).',
    }),
    { description: 'How the server of the bundle proves itself.', required: true },
  )
  profile!: 'HTTPS_WEB' | 'HTTPS_SPIFFE';

  @attribute(text(), {
    description:
      'Authorities as PEM: of the server instead of the well-known ones, or of the trust domain until its first bundle is stored.',
    nullable: true,
    default: null,
  })
  ca!: string | null;

  @attribute(text(), {
    description: 'The SPIFFE ID of the server, for `HTTPS_SPIFFE`.',
    nullable: true,
    default: null,
  })
  endpointSpiffeId!: string | null;
}

/** The last downloads of a bundle. */
class BundleState {
  @attribute(text(), {
    description: 'The `spiffe_sequence` of the stored bundle; null if it has none.',
    nullable: true,
  })
  sequence!: string | null;

  @attribute(timeText(), {
    description: 'When the stored bundle was last confirmed by a download; null: never.',
    nullable: true,
  })
  downloadedAt!: string | null;

  @attribute(timeText(), { description: 'When it is downloaded again.' })
  nextAt!: string;

  @attribute(text(), {
    description:
      'Why the last download was refused, so that the bundle before it still counts; null: it was not.',
    nullable: true,
  })
  error!: string | null;
}

export type { BundleEndpoint, BundleState };

const GRAPH_ONLY = { nullable: true, graphOnly: true } as const;

/** The attributes `bundleEndpoint`, `bundleRoots` and `bundleState`. */
export const BUNDLE_ENDPOINT = object(() => BundleEndpoint);
export const BUNDLE_STATE = object(() => BundleState);

export const BUNDLE_OPTIONS = {
  endpoint: {
    ...GRAPH_ONLY,
    description:
      'Where the bundle of a SPIFFE trust domain is: its certificates are the authority then, and its X509-SVIDs log in as identities whose external id is their SPIFFE ID.',
  },
  roots: {
    ...GRAPH_ONLY,
    description: 'The certificates of the bundle, as PEM; null before the first download.',
    write: 'never',
  },
  state: {
    ...GRAPH_ONLY,
    description: 'The last downloads of the bundle; null before the first one.',
    write: 'never',
    unlogged: true,
  },
} as const;

type AuthorityWrite = Write<'CertificateAuthority'>;

/**
 * Checks the endpoint of an authority; a change of it lets the sequence begin anew.
 * @throws ApiError COULD_NOT_VALIDATE
 */
export function checkBundle({ verb, ctx, input, values, current }: AuthorityWrite): void {
  const { bundleEndpoint: before = null } = current;
  const { trustDomain } = ctx.modules.keys;
  // REST bodies lack it: a client that writes one back does not mean to drop it.
  values.bundleEndpoint =
    verb === 'create' || (verb === 'replace' && input.bundleEndpoint !== undefined)
      ? checkBundleEndpoint(input.bundleEndpoint, trustDomain)
      : mergeBundleEndpoint(before, input.bundleEndpoint, trustDomain);
  if (verb !== 'create') applyChange(values, before);
}

function applyChange(values: AuthorityWrite['values'], before: BundleEndpoint | null): void {
  const { bundleEndpoint: endpoint = null } = values;
  if (isDeepStrictEqual(before, endpoint)) return;
  if (endpoint?.trustDomain !== before?.trustDomain) {
    const reason = 'can not be changed: the trust domain is fixed at creation';
    throw invalidField('bundleEndpoint.trustDomain', reason, endpoint?.trustDomain ?? null);
  }
  values.bundleState = null;
}

/** The settings that an authority with a bundle does not have. */
const FOREIGN = [
  'isAutoCaEnrollmentEnabled',
  'isOttCaEnrollmentEnabled',
  'externalIdClaim',
] as const;

/**
 * Refuses settings that contradict a bundle, after they have their final state.
 * @throws ApiError COULD_NOT_VALIDATE
 */
export function refuseBesideBundle({ values, current }: AuthorityWrite): void {
  if (values.bundleEndpoint === null) return;
  for (const name of FOREIGN) {
    const value = values[name] ?? current[name];
    if (values[name] !== null && value !== false && value !== undefined && value !== null) {
      const reason = 'does not go with bundleEndpoint: X509-SVIDs log in by their SPIFFE ID';
      throw invalidField(name, reason, value);
    }
  }
}

import { invalidField } from '../../../base/errors.js';
import { overlaid, readerOf } from '../../../base/schema-reader.js';
import {
  atMostCharacters,
  choice,
  filledText,
  isSent,
  orNull,
  ruled,
  schemaOf,
  type ValueOfSchema,
} from '../../../base/typed-schema.js';
import { parseAuthority } from '../../pki/index.js';
import { isForbiddenJwksHost } from './jwks-endpoint.js';
import { spiffeIdIn, trustDomainFault } from './spiffe-id.js';

const MAX_URL_CHARACTERS = 2_048;
const MAX_CA_CHARACTERS = 65_536;

function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') return 'must be an https URL';
  // SPIFFE Federation 5.2.1.1 and 5.2.2.1.
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  return isForbiddenJwksHost(url.hostname)
    ? 'must not be a link-local or metadata address'
    : undefined;
}

const SETTINGS = schemaOf({
  trustDomain: ruled(filledText(), trustDomainFault),
  url: ruled(atMostCharacters(MAX_URL_CHARACTERS, filledText()), urlFault),
  profile: choice(['HTTPS_WEB', 'HTTPS_SPIFFE']),
  /** The authorities of the server; `HTTPS_SPIFFE` needs them until the first bundle is stored. */
  ca: orNull(atMostCharacters(MAX_CA_CHARACTERS, filledText()), 'any'),
  endpointSpiffeId: orNull(filledText(), 'any'),
});

/** Where the bundle of a trust domain is, and how its server proves itself. */
export type BundleEndpoint = ValueOfSchema<typeof SETTINGS>;

const FIELD = 'bundleEndpoint';

const readSettings = readerOf(SETTINGS);

/**
 * Reads the endpoint of an input; null or absent is none.
 * @throws ApiError COULD_NOT_VALIDATE on a member of `bundleEndpoint`
 */
export function checkBundleEndpoint(input: unknown, ownTrustDomain: string): BundleEndpoint | null {
  if (!isSent(input)) return null;
  const settings = readSettings(input, FIELD);
  if (settings.trustDomain === ownTrustDomain) {
    throw invalidField(
      `${FIELD}.trustDomain`,
      'is the trust domain of this network',
      settings.trustDomain,
    );
  }
  if (settings.ca !== null) settings.ca = parseAuthority(settings.ca, `${FIELD}.ca`).certPem;
  checkProfile(settings);
  return settings;
}

/**
 * The endpoint after a partial change: members that are null or absent stay, and an empty text clears `ca` or
 * `endpointSpiffeId`. The result has to be sound as a whole.
 * @throws ApiError COULD_NOT_VALIDATE on a member of `bundleEndpoint`
 */
export function mergeBundleEndpoint(
  current: BundleEndpoint | null,
  patch: unknown,
  ownTrustDomain: string,
): BundleEndpoint | null {
  if (patch === undefined) return current;
  return checkBundleEndpoint(patch === null ? null : overlaid(current, patch), ownTrustDomain);
}

function checkProfile({ profile, ca, endpointSpiffeId, trustDomain }: BundleEndpoint): void {
  if (profile === 'HTTPS_WEB') {
    if (endpointSpiffeId === null) return;
    throw invalidField(`${FIELD}.endpointSpiffeId`, 'goes with HTTPS_SPIFFE', endpointSpiffeId);
  }
  if (spiffeIdIn(endpointSpiffeId ?? '')?.trustDomain !== trustDomain) {
    const reason = `must be a SPIFFE ID of the trust domain ${trustDomain}`;
    throw invalidField(`${FIELD}.endpointSpiffeId`, reason, endpointSpiffeId);
  }
  if (ca === null) {
    throw invalidField(`${FIELD}.ca`, 'is needed for the first download by HTTPS_SPIFFE', ca);
  }
}

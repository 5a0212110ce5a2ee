/* Names of workloads (SPIFFE-ID 2): `spiffe://trust.domain/path`. */

/** A SPIFFE ID of a workload. */
export interface SpiffeId {
  readonly trustDomain: string;
  /** With its leading slash. */
  readonly path: string;
}

const TRUST_DOMAIN = /^[a-z0-9._-]{1,255}$/;
/** Segments are not empty, and no path ends with a slash. */
const PATH = /^(?:\/[A-Za-z0-9._-]+)+$/;
const MAX_CHARACTERS = 2_048;

/** Why a text is no name of a trust domain, if so. */
export const trustDomainFault = (name: string): string | undefined =>
  TRUST_DOMAIN.test(name)
    ? undefined
    : 'must be a trust domain: at most 255 of a-z, 0-9, dot, dash and underscore, without spiffe://';

/** Reads the SPIFFE ID of a workload; undefined for any other text, also for the id of a whole trust domain. */
export function spiffeIdIn(text: string): SpiffeId | undefined {
  if (text.length > MAX_CHARACTERS || !text.startsWith(SCHEME)) return undefined;
  const rest = text.slice(SCHEME.length);
  const slash = rest.indexOf('/');
  const [trustDomain, path] = [rest.slice(0, slash), rest.slice(slash)];
  if (slash < 0 || !TRUST_DOMAIN.test(trustDomain) || !PATH.test(path)) return undefined;
  const hasDots = path.split('/').some((segment) => segment === '.' || segment === '..');
  return hasDots ? undefined : { trustDomain, path };
}

const SCHEME = 'spiffe://';

/**
 * The trust domain that a text speaks for, however badly it is written: others than its authority must not come near
 * it by another spelling.
 */
export const trustDomainIn = (text: string): string | undefined =>
  /^\s*spiffe:\/\/(?:[^/?#]*@)?([^/?#:\s]*)/i.exec(text)?.[1]?.toLowerCase();

import type { X509Certificate } from 'node:crypto';
import { alternativeNames } from '../../pki/index.js';
import { trustDomainIn, type ExternalIdClaim } from '../rules/index.js';
import { clientSvidIn } from '../spiffe/index.js';
import { externalIdOf } from './external-id.js';

/* The names of a trust domain belong to the authority with its bundle, whatever others certify. */

interface DomainAuthority {
  /** All its certificates are the authority, of the X509-SVIDs of this trust domain alone; null: any names count. */
  readonly trustDomain: string | null;
}

/** The facts of an authority that decide on the names in its leaves. */
export interface NamingAuthority extends DomainAuthority {
  readonly externalIdClaim: ExternalIdClaim | null;
}

/**
 * The authorities that may vouch for a leaf: for one with a name of a trust domain, the authority of this trust domain
 * alone, and only if the leaf is an X509-SVID; for others, those without a trust domain.
 */
export function authoritiesFor<A extends DomainAuthority>(
  leaf: X509Certificate,
  authorities: readonly A[],
): readonly A[] {
  const named = alternativeNames(leaf).uris.find((uri) => isReserved(uri, authorities));
  if (named === undefined) return authorities.filter(({ trustDomain }) => trustDomain === null);
  const svid = clientSvidIn(leaf);
  return svid ? authorities.filter(({ trustDomain }) => trustDomain === svid.trustDomain) : [];
}

/** Whether a text names a trust domain that has an authority. */
const isReserved = (text: string, authorities: readonly DomainAuthority[]): boolean => {
  const named = trustDomainIn(text);
  return authorities.some(({ trustDomain }) => trustDomain !== null && trustDomain === named);
};

/** The external id that a leaf of an authority claims; no other authority gives the ids of a trust domain. */
export function claimedId(
  { trustDomain, externalIdClaim }: NamingAuthority,
  leaf: X509Certificate,
  authorities: readonly DomainAuthority[],
): string | undefined {
  if (trustDomain !== null) return alternativeNames(leaf).uris[0];
  const id = externalIdClaim ? externalIdOf(externalIdClaim, leaf) : undefined;
  return id === undefined || isReserved(id, authorities) ? undefined : id;
}

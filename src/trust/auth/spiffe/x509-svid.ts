import type { X509Certificate } from 'node:crypto';
import { alternativeNames, isForClients, isSigningLeaf } from '../../pki/index.js';
import { spiffeIdIn, type SpiffeId } from '../rules/index.js';

/** Gives the SPIFFE ID of a leaf that keeps the rules of X509-SVID 2 to 4; the caller checks its chain. */
export function svidIn(leaf: X509Certificate): SpiffeId | undefined {
  const { uris } = alternativeNames(leaf);
  const [uri] = uris;
  if (uri === undefined || uris.length > 1 || !isSigningLeaf(leaf)) return undefined;
  return spiffeIdIn(uri);
}

/** The same of a leaf that a client may show. */
export const clientSvidIn = (leaf: X509Certificate): SpiffeId | undefined =>
  isForClients(leaf) ? svidIn(leaf) : undefined;

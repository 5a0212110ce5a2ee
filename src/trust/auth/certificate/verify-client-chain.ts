import type { X509Certificate } from 'node:crypto';
import {
  decodeCertificate,
  findTrustAnchor,
  fingerprint,
  isCurrent,
  isIssuedBy,
  storedCertificates,
  type KeyMaterial,
} from '../../pki/index.js';
import { authoritiesFor, claimedId, type NamingAuthority } from './trust-domains.js';

/** The facts of a third-party certificate authority that decide logins. */
export interface ThirdPartyAuthority extends NamingAuthority {
  readonly id: string;
  /** The first certificate is the authority; the others may be intermediates, unless it has a trust domain. */
  readonly certPem: string;
  readonly isVerified: boolean;
  readonly isAuthEnabled: boolean;
}

export interface PresentedChain {
  /** The DER certificates of the TLS handshake, the leaf first. */
  readonly presented: readonly Buffer[];
  readonly own: Pick<KeyMaterial, 'authorities'> & Partial<Pick<KeyMaterial, 'endedSigners'>>;
  readonly thirdParty: readonly ThirdPartyAuthority[];
  readonly now: Date;
}

/** The authority of a leaf; `externalId` if the claim of a third party finds one in it. */
export type ClientAuthority =
  | { readonly kind: 'own' }
  | {
      readonly kind: 'thirdParty';
      readonly id: string;
      readonly externalId?: string;
    };

/** A leaf of a trusted authority, whose key the client has. */
export interface VerifiedClient {
  readonly verified: true;
  readonly leaf: X509Certificate;
  /** Lower-case hex SHA-1 of the leaf. */
  readonly fingerprint: string;
  /** Whether the chain ends at a self-signed CA. */
  readonly resolvedToRoot: boolean;
  /** The chain ends at an intermediate of this network, because the client did not send its chain. */
  readonly improperClientCertChain: boolean;
  readonly authority: ClientAuthority;
  /** Whether the leaf is valid now; the auth policy decides whether it must be. */
  readonly isCurrent: boolean;
}

export interface RefusedClient {
  readonly verified: false;
  /** For logs. A client sees the same error for every reason. */
  readonly reason: 'no certificate' | 'unreadable certificate' | 'untrusted certificate';
}

/** A handshake can carry far more than any chain needs. */
const MAX_CANDIDATES = 8;
const MAX_BYTES = 32_768;

/**
 * Verifies the chain of a client. All facts about the client come from the leaf; the other
 * certificates serve only to reach an authority. It trusts, in this order, the roots of this
 * network, all of its CAs, and third-party CAs that are verified and enabled.
 */
export function verifyClientChain(chain: PresentedChain): VerifiedClient | RefusedClient {
  const { presented, own, thirdParty, now } = chain;
  const [first, ...others] = presented;
  if (!first) return { verified: false, reason: 'no certificate' };
  const leaf = readCertificate(first);
  if (!leaf) return { verified: false, reason: 'unreadable certificate' };
  const candidates = others
    .slice(0, MAX_CANDIDATES)
    .flatMap((der) => readCertificate(der) ?? [])
    .filter((candidate) => !isAmong(own.endedSigners ?? [], candidate));
  const anchorAmong = (
    anchors: readonly X509Certificate[],
    intermediates: readonly X509Certificate[] = [],
  ): X509Certificate | undefined =>
    findTrustAnchor({ leaf, candidates: [...candidates, ...intermediates], anchors, now });

  const roots = own.authorities.filter(isSelfSigned);
  const facts = { verified: true, leaf, fingerprint: fingerprint(leaf) } as const;
  const dated = { ...facts, isCurrent: isCurrent(leaf, now) };
  if (anchorAmong(roots)) {
    const authority = { kind: 'own' } as const;
    return { ...dated, authority, resolvedToRoot: true, improperClientCertChain: false };
  }
  if (anchorAmong(own.authorities)) {
    const authority = { kind: 'own' } as const;
    return { ...dated, authority, resolvedToRoot: false, improperClientCertChain: true };
  }
  const trusted = authoritiesFor(leaf, thirdParty).filter(
    (row) => row.isVerified && row.isAuthEnabled,
  );
  const chains = trusted.flatMap(chainOf);
  const certificates = new Map(chains.map(({ anchor, row }) => [anchor, row]));
  const anchor = anchorAmong(
    [...certificates.keys()],
    chains.flatMap(({ intermediates }) => intermediates),
  );
  const row = anchor && certificates.get(anchor);
  if (!row) return { verified: false, reason: 'untrusted certificate' };
  return {
    ...dated,
    authority: thirdPartyAuthority(row, leaf, thirdParty),
    resolvedToRoot: isSelfSigned(anchor),
    improperClientCertChain: false,
  };
}

const readCertificate = (der: Buffer): X509Certificate | undefined =>
  der.length <= MAX_BYTES ? decodeCertificate(der) : undefined;

const isAmong = (some: readonly X509Certificate[], { raw }: X509Certificate): boolean =>
  some.some((one) => one.raw.equals(raw));

const isSelfSigned = (certificate: X509Certificate): boolean =>
  isIssuedBy(certificate, certificate);

interface AuthorityChain {
  readonly row: ThirdPartyAuthority;
  readonly anchor: X509Certificate;
  readonly intermediates: readonly X509Certificate[];
}

/**
 * The certificates of a row; empty if they can not be read, so that one bad row does not stop other
 * logins.
 */
function chainOf(row: ThirdPartyAuthority): AuthorityChain[] {
  const [anchor, ...others] = storedCertificates(row.certPem);
  if (!anchor) return [];
  if (row.trustDomain === null) return [{ row, anchor, intermediates: others }];
  return [anchor, ...others].map((root) => ({ row, anchor: root, intermediates: [] }));
}

function thirdPartyAuthority(
  row: ThirdPartyAuthority,
  leaf: X509Certificate,
  all: readonly ThirdPartyAuthority[],
): ClientAuthority {
  const externalId = claimedId(row, leaf, all);
  return {
    kind: 'thirdParty',
    id: row.id,
    ...(externalId === undefined ? {} : { externalId }),
  };
}

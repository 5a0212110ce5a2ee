export { caBundlePkcs7 } from './ca-bundle.js';
export {
  parseAuthority,
  parseJwtSigner,
  type AuthorityDescription,
  type JwtSignerDescription,
} from './parse-authority.js';
export { certificateDetails } from './certificate-details.js';
export { alternativeNames, hostNamesIn } from './certificate-contents.js';
export { describeIssued, type IssuedDescription } from './describe-issued.js';
export { HostNames, hostIn } from './host-names.js';
export { matcherOf, namePattern } from './name-patterns.js';
export type { RouterNameRule } from './router-names.js';
export {
  storedCertificate,
  storedCertificates,
  decodeCertificate,
  describeCertificate,
  fingerprint,
  isCurrent,
  notAfter,
  notBefore,
  parseCertificatePem,
  type CertificateChain,
  type CertificateDescription,
} from './certificate.js';
export { isBelow, isIssuedBy } from './certificate-chain.js';
export { isForClients, isSigningLeaf, isUsableAuthority } from './certificate-usage.js';
export {
  issueFromCsr,
  type CsrOrder,
  type CsrProfile,
  type IssuedCertificate,
} from './issue-from-csr.js';
export {
  describeDirectory,
  trustedRoots,
  type DescribedCertificate,
  type DirectoryDescription,
} from './describe-directory.js';
export { namesIn, readKeyFiles, removeAllBut, writeKeyFiles } from './key-files.js';
export { keyDirectoryAt, openKeyDirectory } from './key-directory.js';
export { LiveKeys, type LiveKeysParts } from './live-keys.js';
export { loadKeyMaterial, type KeyMaterial, type KeyMaterialOptions } from './key-material.js';
export { preparePendingSecretKey, settlePendingSecretKey } from './pending-secret-key.js';
export type { KeyMaterialFiles } from './provided-files.js';
export type { CertificateIssuer } from './issue-certificate.js';
export {
  exportMaterial,
  importMaterial,
  isMaterialFile,
  type MaterialFiles,
} from './move-material.js';
export { finishRollover, rollOver } from './rollover.js';
export { isBoundedKey } from './public-key.js';
export { readSecretFile } from './secret-file.js';
export { openSecret, sealSecret } from './sealed-secret.js';
export {
  JWS_ALGORITHMS,
  signingAlgorithm,
  signJwt,
  type JwtSigner,
  type SigningAlgorithm,
} from './signing-algorithm.js';
export { findTrustAnchor, type TrustQuestion } from './trust-path.js';

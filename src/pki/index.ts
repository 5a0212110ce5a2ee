export { caBundlePkcs7 } from './ca-bundle.js';
export {
  parseAuthority,
  parseJwtSigner,
  type AuthorityDescription,
  type JwtSignerDescription,
} from './certificate-authority.js';
export {
  describeCertificate,
  fingerprint,
  parseCertificatePem,
  type CertificateChain,
  type CertificateDescription,
} from './certificate.js';
export { loadKeyMaterial, type KeyMaterial, type KeyMaterialOptions } from './key-material.js';
export type { KeyMaterialFiles } from './provided-files.js';
export type { CertificateIssuer } from './issue-certificate.js';
export { openSecret, sealSecret } from './sealed-secret.js';
export {
  signingAlgorithm,
  signJwt,
  type JwtSigner,
  type SigningAlgorithm,
} from './signing-algorithm.js';

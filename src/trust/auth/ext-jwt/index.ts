export { DownloadFault, downloadJwks, resolveHost, type ResolveHost } from './jwks-download.js';
export { JwksKeys, type JwksKeysOptions, type KeyOwner } from './jwks-keys.js';
export type { JwtSigner } from './jwt-signer.js';
export {
  verifyExternalJwt,
  type ExternalJwtContext,
  type ExternalJwtFailure,
  type SignerKeys,
  type VerifiedExternalJwt,
} from './verify-external-jwt.js';
export { wwwAuthenticate } from './www-authenticate.js';

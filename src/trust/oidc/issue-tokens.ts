import { signJwt, type JwtSigner } from '../pki/index.js';
import { idClaims, TOKEN_KIND, tokenClaims, type TokenFacts } from './claims.js';
import type { OidcSettings } from './provider.js';

/** The answer of the token endpoint (RFC 6749 5.1, OpenID Connect Core 3.1.3.3). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly refresh_token?: string;
  readonly expires_in: number;
  readonly id_token: string;
  readonly scope: string;
  /** The certificate that the client asked for, with its chain as PEM. */
  readonly session_cert?: string;
}

/** The member of an answer that holds a new certificate. */
export const certificateIn = (
  certificate: string | undefined,
): Pick<TokenAnswer, 'session_cert'> =>
  certificate === undefined ? {} : { session_cert: certificate };

export const signAccessToken = (
  facts: TokenFacts,
  signer: JwtSigner,
  { accessSeconds }: OidcSettings,
): string => signJwt(signer, tokenClaims(facts, TOKEN_KIND.access, accessSeconds));

export const signRefreshToken = (
  facts: TokenFacts,
  signer: JwtSigner,
  { refreshSeconds }: OidcSettings,
): string => signJwt(signer, tokenClaims(facts, TOKEN_KIND.refresh, refreshSeconds));

export const signIdToken = (
  facts: TokenFacts,
  signer: JwtSigner,
  { accessSeconds }: OidcSettings,
  { accessToken, nonce }: { readonly accessToken: string; readonly nonce: string | null },
): string =>
  signJwt(
    signer,
    idClaims(facts, accessSeconds, { accessToken, nonce, algorithm: signer.algorithm }),
  );

/** Signs the tokens of a session that belong together. */
export function issueTokens(
  facts: TokenFacts,
  signer: JwtSigner,
  settings: OidcSettings,
  nonce: string | null,
): TokenAnswer {
  const accessToken = signAccessToken(facts, signer, settings);
  const mayRefresh = facts.scopes.includes('offline_access');
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    ...(mayRefresh ? { refresh_token: signRefreshToken(facts, signer, settings) } : {}),
    expires_in: settings.accessSeconds,
    id_token: signIdToken(facts, signer, settings, { accessToken, nonce }),
    scope: facts.scopes.join(' '),
  };
}

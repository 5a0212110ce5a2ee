import type { AuthQuery } from '../../kernel/request/context.js';

/** The facts about a signer that clients need to get a JWT. */
export interface SignerReference {
  readonly id: string;
  readonly externalAuthUrl: string | null;
  readonly clientId: string | null;
  readonly scopes: readonly string[];
}

/** Asks for a one-time code, or a recovery code. */
export const mfaQuery = (isTotpEnrolled: boolean): AuthQuery => ({
  typeId: 'MFA',
  provider: 'ziti',
  format: 'numeric',
  minLength: 4,
  maxLength: 6,
  httpMethod: 'POST',
  httpUrl: './authenticate/mfa',
  isTotpEnrolled,
});

/** Asks for a JWT of the signer with every request. */
export const signerQuery = (id: string, signer: SignerReference | undefined): AuthQuery => ({
  typeId: 'EXT-JWT',
  provider: 'url',
  id,
  httpUrl: signer?.externalAuthUrl ?? '',
  ...(signer?.clientId ? { clientId: signer.clientId } : {}),
  scopes: signer?.scopes ?? [],
});

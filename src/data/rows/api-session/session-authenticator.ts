/* The authenticator ids of sessions without an authenticator. */

/** That of sessions by an external id, and of the controller itself. */
export const INTERNAL = 'internal';

const BY_SIGNER = 'extJwtId:';

/** That of sessions from a JWT login, which names the signer. */
export const signerAuthenticator = (signerId: string): string => `${BY_SIGNER}${signerId}`;

/** The signer that such an authenticator id names; empty for others. */
export const signerOf = (authenticatorId: string): string =>
  authenticatorId.startsWith(BY_SIGNER) ? authenticatorId.slice(BY_SIGNER.length) : '';

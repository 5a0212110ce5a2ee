import { clientOf, scopesIn } from './clients.js';
import { openRequest, REQUEST_SECONDS } from './open-request.js';
import type { OidcRequest } from './provider.js';
import { hashOf, newSecret } from './secret-hash.js';
import { newUserCode, userCodeHash } from './user-code.js';

/** The time that a device waits at first between two questions for its tokens. */
const POLL_SECONDS = 5;
/** A device has neither an address nor a page. */
const NO_CODE_FLOW = { redirectUri: '', codeChallenge: '', state: null, nonce: null };

/**
 * The device authorization endpoint (RFC 8628 3.1): a device without a browser asks that a person logs it
 * in with another one.
 * @throws OAuthError invalid_client
 */
export async function authorizeDevice(request: OidcRequest): Promise<object> {
  const { ctx, parameters, authorization, issuer } = request;
  const clientId = clientOf(parameters, authorization);
  const deviceCode = newSecret();
  const userCode = newUserCode();
  await openRequest(request, {
    ...{ ...NO_CODE_FLOW, clientId },
    scopes: scopesIn(parameters.get('scope') ?? 'openid'),
    deviceCodeHash: hashOf(deviceCode),
    userCodeHash: userCodeHash(ctx.modules.keys.secretKey, userCode),
    pollSeconds: POLL_SECONDS,
  });
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${issuer}/device`,
    verification_uri_complete: `${issuer}/device?user_code=${userCode}`,
    expires_in: REQUEST_SECONDS,
    interval: POLL_SECONDS,
  };
}

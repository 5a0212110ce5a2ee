import {
  authorizationRequests,
  deviceRequests,
  type DeviceRequest,
} from '../../data/rows/authorization/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { originOf } from '../../kernel/write/write.js';
import { endOidcSession } from './end-session.js';
import { certificateIn, issueTokens, type TokenAnswer } from './issue-tokens.js';
import { sessionForTokens } from './live-session.js';
import { OAuthError } from './oauth-error.js';
import { requiredParameter, type OidcRequest } from './provider.js';
import { hashOf } from './secret-hash.js';
import { certifyClient } from './session-certificate.js';

export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

/** A device that asks too early waits so much longer from then on (RFC 8628 3.5). */
const SLOWER_SECONDS = 5;

const REFUSALS = {
  authorization_pending: 'the person has not decided yet',
  slow_down: 'the device asks too often',
  access_denied: 'the person has refused the device',
  expired_token: 'the device_code has expired',
  invalid_grant: 'invalid device_code',
} as const;

/**
 * Gives a device the tokens of the session of the person that let it in (RFC 8628 3.4), or says why not. A
 * second use of the code ends the session, as that of other codes does.
 */
export async function exchangeDeviceCode(
  request: OidcRequest,
  clientId: string,
): Promise<TokenAnswer> {
  const { ctx, parameters, issuer, settings } = request;
  const codeHash = hashOf(requiredParameter(parameters, 'device_code'));
  const outcome = await ctx.store.write(originOf(ctx), (tx) =>
    useDeviceCode(tx, { codeHash, clientId, now: ctx.now() }),
  );
  if (typeof outcome === 'string') throw refused(outcome);
  const { apiSessionId, scopes, isCodeUsed } = outcome;
  if (isCodeUsed) await endOidcSession(ctx, apiSessionId);
  const live = isCodeUsed ? undefined : await sessionForTokens(ctx, apiSessionId);
  if (!live) throw refused('invalid_grant');
  const { session, certificate } = await certifyClient(ctx, live, parameters.get('csr_pem'));
  const facts = { session, issuer, clientId, scopes, now: ctx.now() };
  const tokens = issueTokens(facts, ctx.modules.tokenKeys.signer(), settings, null);
  return { ...tokens, ...certificateIn(certificate) };
}

const refused = (error: keyof typeof REFUSALS): OAuthError =>
  new OAuthError(error, REFUSALS[error]);

interface DeviceCode {
  readonly codeHash: string;
  readonly clientId: string;
  readonly now: Date;
}

type ApprovedRequest = DeviceRequest & { readonly apiSessionId: string };

/** Uses up the code of an approved request, in the state before; or the reason why it gives no tokens. */
async function useDeviceCode(
  tx: Rows,
  { codeHash, clientId, now }: DeviceCode,
): Promise<ApprovedRequest | keyof typeof REFUSALS> {
  const request = await deviceRequests.lockByDeviceCode(tx, codeHash);
  if (request?.clientId !== clientId) return 'invalid_grant';
  if (request.expiresAt <= now) return 'expired_token';
  if (request.isApproved === null) return recordPoll(tx, request, now);
  const { apiSessionId } = request;
  if (!request.isApproved || apiSessionId === null) return 'access_denied';
  if (!request.isCodeUsed) await authorizationRequests.markCodeUsed(tx, request.id);
  return { ...request, apiSessionId };
}

/** Whether an early device waits longer from now on. */
async function recordPoll(
  tx: Rows,
  { id, pollSeconds, polledAt }: DeviceRequest,
  now: Date,
): Promise<'authorization_pending' | 'slow_down'> {
  const seconds = pollSeconds ?? 0;
  const isEarly = polledAt !== null && now.getTime() - polledAt.getTime() < seconds * 1000;
  const waits = isEarly ? seconds + SLOWER_SECONDS : seconds;
  await deviceRequests.recordPoll(tx, { id, pollSeconds: waits, polledAt: now });
  return isEarly ? 'slow_down' : 'authorization_pending';
}

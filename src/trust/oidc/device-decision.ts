import { deviceRequests } from '../../data/rows/authorization/index.js';
import { failure, type ApiError } from '../../base/errors.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { senderOf } from '../../requests/limits/index.js';
import { LoginLimit } from '../auth/index.js';
import { endOidcSession } from './end-session.js';
import { sessionForTokens } from './live-session.js';
import { hashOf } from './secret-hash.js';
import { userCodeHash } from './user-code.js';

/** Wrong user codes a minute from all addresses together; docs/security.md says what this bounds. */
const MAX_WRONG_CODES = 1_000;

/**
 * The id of the request with a user code, to which a person logs in. Wrong codes are limited by address
 * and in total, as passwords are.
 * @throws ApiError UNAUTHORIZED for an unknown or ended code, SERVER_TOO_MANY_REQUESTS
 */
export function requestOfUserCode(ctx: RequestContext, text: string): Promise<string> {
  const { store, now, modules } = ctx;
  const hash = userCodeHash(modules.keys.secretKey, text);
  const find = async (): Promise<string> => {
    const id = await deviceRequests.idOfUserCode(store, hash, now());
    if (id === undefined) throw failure('UNAUTHORIZED', 'the code is wrong or has ended');
    return id;
  };
  const all = new LoginLimit(store, MAX_WRONG_CODES);
  const ofAddress = [`user code:${senderOf(ctx.address)}`];
  return modules.loginLimit.attempt(ofAddress, now, () => all.attempt(['user code'], now, find));
}

/** A login to the request of a device, by its id and the key that its last proof gave. */
export interface DeviceLogin {
  readonly id: string;
  readonly key: string;
}

/** A device that waits for the decision of a person, as that person sees it. */
export interface AskingDevice {
  readonly clientId: string;
  /** Its address, or the network of an IPv6 address. */
  readonly sender: string;
  /** The name of the person, as which the device will act. */
  readonly identityName: string;
}

/** @throws ApiError UNAUTHORIZED for another key, a decided request, or a session that gets no tokens */
export async function askingDevice(ctx: RequestContext, login: DeviceLogin): Promise<AskingDevice> {
  const { clientId, sender, apiSessionId } = await requireUndecided(ctx, login);
  const session = await sessionForTokens(ctx, apiSessionId);
  if (!session) throw ended();
  return { clientId, sender, identityName: session.identityName };
}

/**
 * Stores what a person decided. The key proves that the same browser has logged in: neither a link nor a
 * page of somebody else can decide. A refusal ends the session of the login.
 * @throws ApiError UNAUTHORIZED as above
 */
export async function decideDevice(
  ctx: RequestContext,
  login: DeviceLogin,
  isApproved: boolean,
): Promise<void> {
  const { apiSessionId } = await requireUndecided(ctx, login);
  if (isApproved && !(await sessionForTokens(ctx, apiSessionId))) throw ended();
  const decision = { id: login.id, keyHash: hashOf(login.key), isApproved };
  if (!(await deviceRequests.decide(ctx.store, decision, ctx.now()))) throw ended();
  if (!isApproved) await endOidcSession(ctx, apiSessionId);
}

async function requireUndecided({ store, now }: RequestContext, { id, key }: DeviceLogin) {
  const login = { id, keyHash: hashOf(key) };
  const request = await deviceRequests.findUndecided(store, login, now());
  if (!request) throw ended();
  return request;
}

const ended = (): ApiError =>
  failure('UNAUTHORIZED', 'the request of the device was decided or has ended');

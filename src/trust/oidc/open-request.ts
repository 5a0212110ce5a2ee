import { randomUUID } from 'node:crypto';
import {
  authorizationRequests,
  type NewAuthorizationRequest,
} from '../../data/rows/authorization/index.js';
import { tooManyRequests } from '../../base/errors.js';
import { isStorableText } from '../../base/storable.js';
import { senderOf } from '../../requests/limits/index.js';
import type { OidcRequest } from './provider.js';

/** The time for a login, with all its proofs. */
export const REQUEST_SECONDS = 600;
const MAX_CONFIG_TYPES = 100;
/** Requests that nobody logged in to end all the time. */
const RETRY_SECONDS = 10;

type RequestFacts = Omit<
  NewAuthorizationRequest,
  'id' | 'createdAt' | 'expiresAt' | 'sender' | 'configTypes'
>;

/** Stores an authorization request; gives its id. @throws ApiError SERVER_TOO_MANY_REQUESTS */
export async function openRequest(
  { ctx, parameters }: OidcRequest,
  facts: RequestFacts,
): Promise<string> {
  const id = randomUUID();
  const createdAt = ctx.now();
  const isOpen = await authorizationRequests.open(ctx.store, {
    ...{ ...facts, id, createdAt },
    expiresAt: new Date(createdAt.getTime() + REQUEST_SECONDS * 1000),
    sender: senderOf(ctx.address),
    configTypes: parameters.all('configTypes').filter(isStorableText).slice(0, MAX_CONFIG_TYPES),
  });
  if (!isOpen) throw tooManyRequests(RETRY_SECONDS);
  return id;
}

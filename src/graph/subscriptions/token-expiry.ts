import { failure, type ApiError } from '../../base/errors.js';
import type { Caller } from '../../kernel/request/context.js';

/** Node fires timers of more at once. */
const MAX_TIMER_MILLIS = 2_147_483_647;

/**
 * Calls `end` when the access token of a caller expires. Gives a function that ends the wait. Other
 * sessions are without such a time.
 */
export function atExpiry(
  { accessToken }: Pick<Caller, 'accessToken'>,
  now: () => Date,
  end: () => void,
): () => void {
  if (!accessToken) return () => undefined;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const millis = Math.max(0, accessToken.expiresAt.getTime() - now().getTime());
    const isLong = millis > MAX_TIMER_MILLIS;
    timer = setTimeout(isLong ? wait : end, isLong ? MAX_TIMER_MILLIS : millis).unref();
  };
  wait();
  return () => {
    clearTimeout(timer);
  };
}

export const expired = (): ApiError => failure('UNAUTHORIZED', 'the access token has expired');

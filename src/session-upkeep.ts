import type { ApiSessions, LoginLimit } from './auth/index.js';
import { every } from './every.js';
import type { ContextFactory } from './graph/index.js';
import { originOf } from './kernel/write.js';

const FLUSHES_PER_TIMEOUT = 10;
const EXPIRY_MILLIS = 5_000;

interface Parts {
  readonly sessions: ApiSessions;
  readonly loginLimit: LoginLimit;
  readonly contexts: ContextFactory;
  readonly timeoutMs: number;
  readonly onError: (error: unknown) => void;
}

/** Stores activity, ends sessions without it, and forgets failed logins that are over. */
export function startSessionUpkeep(parts: Parts): () => Promise<void> {
  const { sessions, loginLimit, contexts, timeoutMs, onError } = parts;
  const flushing = every(timeoutMs / FLUSHES_PER_TIMEOUT, () => sessions.flush(), onError);
  const expiring = every(
    EXPIRY_MILLIS,
    async () => {
      const ctx = contexts.make('', undefined);
      await sessions.expire(ctx, originOf(ctx));
      await loginLimit.forget(ctx.now());
    },
    onError,
  );
  return async () => {
    clearInterval(flushing);
    clearInterval(expiring);
    await sessions.flush().catch(onError);
  };
}

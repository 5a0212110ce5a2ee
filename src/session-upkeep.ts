import type { AccessWatch } from './access-watch.js';
import type { ApiSessions, LoginLimit } from './auth/index.js';
import { every } from './every.js';
import type { ContextFactory } from './graph/index.js';
import type { LogPosition } from './freshness/index.js';
import { originOf } from './kernel/write.js';

const FLUSHES_PER_TIMEOUT = 10;
const EXPIRY_MILLIS = 5_000;
const FRESHNESS_MILLIS = 2_000;

interface Parts {
  readonly sessions: ApiSessions;
  readonly loginLimit: LoginLimit;
  readonly contexts: ContextFactory;
  readonly watch: AccessWatch;
  /** How far the change log was taken in. */
  readonly position: () => LogPosition;
  readonly timeoutMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Stores activity, ends sessions without it or without access any more, and forgets failed logins
 * that are over.
 */
export function startSessionUpkeep(parts: Parts): () => Promise<void> {
  const { sessions, loginLimit, contexts, watch, position, timeoutMs, onError } = parts;
  watch.enforceAll().catch(onError);
  const saving = every(FRESHNESS_MILLIS, () => watch.saveFreshness(position()), onError);
  const flushing = every(timeoutMs / FLUSHES_PER_TIMEOUT, () => sessions.flush(), onError);
  const expiring = every(
    EXPIRY_MILLIS,
    async () => {
      const ctx = contexts.make('', undefined);
      await sessions.expire(ctx, originOf(ctx));
      await watch.lookAtTime();
      await loginLimit.forget(ctx.now());
    },
    onError,
  );
  return async () => {
    clearInterval(flushing);
    clearInterval(expiring);
    clearInterval(saving);
    await sessions.flush().catch(onError);
    await watch.saveFreshness(position()).catch(onError);
  };
}

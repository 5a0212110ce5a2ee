import type { AccessWatch } from '../access/index.js';
import type { ApiSessions, LoginLimit } from '../auth/index.js';
import { every } from './every.js';
import type { ContextFactory } from '../graph/index.js';
import type { Cursor } from '../kernel/request/store-port.js';
import { originOf } from '../kernel/write/write.js';
import type { Leases } from '../store/leases.js';

const FLUSHES_PER_TIMEOUT = 10;
const EXPIRY_MILLIS = 5_000;
const FRESHNESS_MILLIS = 2_000;

interface Parts {
  readonly sessions: ApiSessions;
  readonly loginLimit: LoginLimit;
  readonly contexts: ContextFactory;
  readonly watch: AccessWatch;
  readonly leases: Leases;
  /** How far the change log was taken in. */
  readonly position: () => Cursor;
  readonly timeoutMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Stores activity, ends sessions without it or without access any more, and forgets failed logins
 * that are over. Activity and freshness are what each controller knows; the rest one does for all.
 */
export function startSessionUpkeep(parts: Parts): () => Promise<void> {
  const { sessions, watch, leases, position, timeoutMs, onError } = parts;
  watch.enforceAll().catch(onError);
  const saving = every(FRESHNESS_MILLIS, () => watch.saveFreshness(position()), onError);
  const flushing = every(timeoutMs / FLUSHES_PER_TIMEOUT, () => sessions.flush(), onError);
  const expiring = every(
    EXPIRY_MILLIS,
    () => leases.alone('passing time', () => lookAtTime(parts)),
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

async function lookAtTime({ contexts, sessions, watch, loginLimit }: Parts): Promise<void> {
  const ctx = contexts.make('', undefined);
  await sessions.expire(ctx, originOf(ctx));
  await watch.lookAtTime();
  await loginLimit.forget(ctx.now());
}

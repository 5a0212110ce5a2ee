import type { AccessWatch } from '../../access/enforcement/index.js';
import {
  deleteExpiredRevocations,
  type ApiSessions,
  type LoginLimit,
} from '../../trust/auth/index.js';
import { every } from './every.js';
import type { ContextFactory } from '../../graph/index.js';
import type { Cursor } from '../../kernel/request/store-port.js';
import { authorizationRequests, usedRefreshTokens } from '../../data/rows/authorization/index.js';
import { originOf } from '../../kernel/write/write.js';
import type { Leases } from '../../data/store/leases.js';

const FLUSHES_PER_TIMEOUT = 10;
const EXPIRY_MILLIS = 5_000;
const FRESHNESS_MILLIS = 2_000;

interface SessionUpkeepOptions {
  readonly sessions: ApiSessions;
  readonly loginLimit: LoginLimit;
  readonly contexts: ContextFactory;
  readonly watch: AccessWatch;
  readonly leases: Leases;
  /** The position up to which the change log is applied. */
  readonly position: () => Cursor;
  readonly timeoutMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Stores activity, ends sessions without activity or access, and deletes old counts of failed
 * logins and expired revocations. Each controller stores its own activity and freshness; one
 * controller does the rest for all.
 */
export function startSessionUpkeep(options: SessionUpkeepOptions): () => Promise<void> {
  const { sessions, watch, leases, position, timeoutMs, onError } = options;
  watch.enforceAll().catch(onError);
  const saving = every(FRESHNESS_MILLIS, () => watch.saveFreshness(position()), onError);
  const stopFlushing = startFlushing(sessions, timeoutMs, onError);
  const expiring = every(
    EXPIRY_MILLIS,
    () => leases.alone('passing time', () => lookAtTime(options)),
    onError,
  );
  return async () => {
    clearInterval(expiring);
    clearInterval(saving);
    await stopFlushing();
    await watch.saveFreshness(position()).catch(onError);
  };
}

/** Stores the activity of sessions at an interval, and once more at the end. */
export function startFlushing(
  sessions: ApiSessions,
  timeoutMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const flushing = every(timeoutMs / FLUSHES_PER_TIMEOUT, () => sessions.flush(), onError);
  return async () => {
    clearInterval(flushing);
    await sessions.flush().catch(onError);
  };
}

async function lookAtTime({
  contexts,
  sessions,
  watch,
  loginLimit,
}: SessionUpkeepOptions): Promise<void> {
  const ctx = contexts.make('', undefined);
  await sessions.expire(ctx, originOf(ctx));
  await watch.lookAtTime();
  await loginLimit.forget(ctx.now());
  await authorizationRequests.removeEnded(ctx.store, ctx.now());
  await usedRefreshTokens.removeEnded(ctx.store, ctx.now());
  await deleteExpiredRevocations(ctx, originOf(ctx));
}

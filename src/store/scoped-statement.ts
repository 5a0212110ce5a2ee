import type pg from 'pg';
import type { RequestScope } from '../kernel/request/request-scope.js';
import { cancelStatement } from './cancel-statement.js';

type Arguments = readonly unknown[];
type Send = (...args: Arguments) => unknown;
type Callback = (...outcome: unknown[]) => void;

/** A statement whose sender knows its request; the pool calls back in whatever context is current. */
export interface ScopedStatement {
  readonly scope: RequestScope | null;
}

/** The end of a transaction is what it comes to, however late. */
const ENDS = /^(?:commit|rollback)$/i;

const textOf = (statement: unknown): unknown =>
  typeof statement === 'string' ? statement : (statement as { text?: unknown }).text;

export function isEnd(statement: unknown): boolean {
  const text = textOf(statement);
  return typeof text === 'string' && text.length <= 8 && ENDS.test(text);
}

/** As the server would say it. */
const refusal = (): Error =>
  Object.assign(new Error('the request that asks is over'), { code: '57014' });

/**
 * Sends a statement on behalf of a request: refused when its time is up, cancelled when it is up
 * meanwhile. The outcome of a cancelled one is told when no cancel request is under way any more.
 */
export function sendWithin(
  scope: RequestScope,
  client: pg.PoolClient,
  send: Send,
  args: Arguments,
): unknown {
  const last = args.at(-1);
  const callback = typeof last === 'function' ? (last as Callback) : undefined;
  if (!scope.maySend) {
    if (!callback) return Promise.reject(refusal());
    process.nextTick(callback, refusal());
    return undefined;
  }
  let cancelling: Promise<void> | undefined;
  const ended = scope.sent(() => {
    cancelling ??= cancelStatement(client);
  });
  if (callback) {
    return send(...args.slice(0, -1), (...outcome: unknown[]) => {
      ended();
      if (!cancelling) callback(...outcome);
      else {
        void cancelling.then(() => {
          callback(...outcome);
        });
      }
    });
  }
  return (send(...args) as Promise<unknown>).finally(() => {
    ended();
    return cancelling;
  });
}

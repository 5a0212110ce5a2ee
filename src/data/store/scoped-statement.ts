import type pg from 'pg';
import type { RequestScope } from '../../kernel/request/request-scope.js';
import { cancelStatement } from './cancel-statement.js';

type Arguments = readonly unknown[];
type Send = (...args: Arguments) => unknown;
type Callback = (...outcome: unknown[]) => void;

/** A statement with the scope of its request, if it has one. */
export interface ScopedStatement {
  readonly scope?: RequestScope | undefined;
}

/** The end of a transaction is never cancelled. */
const ENDS = /^(?:commit|rollback)$/i;

const textOf = (statement: unknown): unknown =>
  typeof statement === 'string' ? statement : (statement as { text?: unknown }).text;

export function isEnd(statement: unknown): boolean {
  const text = textOf(statement);
  return typeof text === 'string' && text.length <= 8 && ENDS.test(text);
}

/** The same error as from the server. */
const refusal = (): Error =>
  Object.assign(new Error('the request that asks is over'), { code: '57014' });

/**
 * Sends a statement for a request. It refuses the statement when the time of the request is up, and
 * cancels it when the time ends meanwhile. A cancelled statement settles only after its cancel
 * request is done.
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
  const onEnd = scope.sent(() => {
    cancelling ??= cancelStatement(client);
  });
  if (callback) {
    return send(...args.slice(0, -1), (...outcome: unknown[]) => {
      onEnd();
      if (!cancelling) callback(...outcome);
      else {
        void cancelling.then(() => {
          callback(...outcome);
        });
      }
    });
  }
  return (send(...args) as Promise<unknown>).finally(() => {
    onEnd();
    return cancelling;
  });
}

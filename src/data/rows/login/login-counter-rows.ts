import { sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/*
 * Failed and pending attempts of the minute, by key. Statements, not models: they take several keys, in
 * one order, and what they write depends on what they read. All of them share the rule when a minute is over.
 */

/** Failures count for a minute. */
const WINDOW_MILLIS = 60_000;

const windowFrom = (now: Date): Date => new Date(now.getTime() + WINDOW_MILLIS);

/**
 * Whether the minute of a counter is over. An end too far in the future means that the clock was
 * set back.
 */
const isOver = (now: Date): Sql =>
  sql`(login_counter.resets_at <= ${now}::timestamptz or login_counter.resets_at > ${windowFrom(now)}::timestamptz)`;

/** The time when the limit ends for the last of the limited keys. */
const endOfLimit = (keys: readonly string[], limit: number, now: Date): Sql =>
  sql`(select max(resets_at) from login_counter where key = any(${keys}::text[])
      and failures >= ${limit}::int and not ${isOver(now)})`;

/** Sorts keys, so that all statements lock them in the same order. */
const inOrder = (keys: readonly string[]): string[] => [...new Set(keys)].sort();

/** The time until which a key is limited; null when none is. */
export async function limitedUntil(
  rows: Rows,
  keys: readonly string[],
  limit: number,
  now: Date,
): Promise<Date | null> {
  const [row] = await rows.query(
    sql<{ until: Date | null }>`select ${endOfLimit(keys, limit, now)} as until`,
  );
  return row?.until ?? null;
}

/** Deletes counters whose minute is over. */
export const removeEnded = (rows: Rows, now: Date): Promise<unknown> =>
  rows.query(sql`delete from login_counter where ${isOver(now)}`);

/** The keys with a reserved attempt, and the time until which a key is limited. */
interface Reservation {
  readonly reserved: readonly string[];
  readonly until: Date | null;
}

/** Counts a pending attempt for each key that stays below its limit. */
export async function reserveAttempt(
  rows: Rows,
  keys: readonly string[],
  limit: number,
  now: Date,
): Promise<Reservation> {
  const resets = windowFrom(now);
  const [row] = await rows.query(
    sql<{ reserved: string[]; until: Date | null }>`with reserved as (
          insert into login_counter (key, failures, pending, resets_at)
          select key, 0, 1, ${resets}::timestamptz from unnest(${inOrder(keys)}::text[]) key
          on conflict (key) do update set
            failures = case when ${isOver(now)} then 0 else login_counter.failures end,
            pending = case when ${isOver(now)} then 1 else login_counter.pending + 1 end,
            resets_at = case when ${isOver(now)} then excluded.resets_at else login_counter.resets_at end
          where ${isOver(now)} or login_counter.failures + login_counter.pending < ${limit}::int
          returning key)
        select array(select key from reserved) as reserved, ${endOfLimit(keys, limit, now)} as until`,
  );
  return row ?? { reserved: [], until: null };
}

/** The change of the counters by an attempt. */
export interface AttemptCounts {
  readonly failures: 0 | 1;
  readonly pending: 0 | -1;
}

/** Counts the outcome of an attempt. The minute begins with its first failure. */
export const countAttempt = (
  rows: Rows,
  keys: readonly string[],
  { failures, pending }: AttemptCounts,
  now: Date,
): Promise<unknown> =>
  rows.query(
    sql`insert into login_counter (key, failures, resets_at)
        select key, ${failures}::int, ${windowFrom(now)}::timestamptz from unnest(${inOrder(keys)}::text[]) key
        on conflict (key) do update set
          failures = case when ${isOver(now)} then 0 else login_counter.failures end + ${failures}::int,
          pending = greatest(0, case when ${isOver(now)} then 0 else login_counter.pending end + ${pending}::int),
          resets_at = case when ${isOver(now)} or (login_counter.failures = 0 and ${failures}::int > 0)
            then excluded.resets_at else login_counter.resets_at end`,
  );

import { sql } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';
import type { Finding, Findings } from './integrity-findings.js';

/** The state of the check, equal at all controllers. */
export interface IntegrityResults {
  readonly startTime: Date | null;
  readonly endTime: Date | null;
  readonly error: string | null;
  readonly fixingErrors: boolean;
  readonly inProgress: boolean;
  readonly tooManyErrors: boolean;
  readonly results: readonly Finding[];
}

/*
 * The table has one row. Its holder must renew it; the clock of the database decides about expiry,
 * so that different clocks of controllers free nothing too early.
 */
const LIFE = sql`clock_timestamp() + interval '60 s'`;

type Queries = Pick<Store, 'query'>;

/** Claims the run for `holder`, unless one is running at any controller. */
export async function claimRun(
  store: Queries,
  holder: string,
  fixing: boolean,
  now: Date,
): Promise<boolean> {
  const rows = await store.query(
    sql`insert into integrity_run as r (name, holder, fixing, started_at, lapses_at)
      values ('network', ${holder}::text, ${fixing}::boolean, ${now}::timestamptz, ${LIFE})
      on conflict (name) do update set holder = excluded.holder, fixing = excluded.fixing,
        started_at = excluded.started_at, ended_at = null, error = null, too_many_errors = false,
        results = '[]', lapses_at = excluded.lapses_at
      where r.ended_at is not null or r.lapses_at < clock_timestamp() returning holder`,
  );
  return rows.length > 0;
}

/** Renews the claim and stores the findings; gives false when another holder has the run. */
export async function keepRun(
  store: Queries,
  holder: string,
  findings: Findings,
): Promise<boolean> {
  const rows = await store.query(
    sql`update integrity_run set results = ${JSON.stringify(findings.listed)}::jsonb,
        too_many_errors = ${findings.tooMany}::boolean, lapses_at = ${LIFE}
      where holder = ${holder}::text and ended_at is null returning holder`,
  );
  return rows.length > 0;
}

export async function endRun(
  store: Queries,
  holder: string,
  findings: Findings,
  error: string | null,
  now: Date,
): Promise<void> {
  await store.query(
    sql`update integrity_run set results = ${JSON.stringify(findings.listed)}::jsonb,
        too_many_errors = ${findings.tooMany}::boolean, error = ${error}::text, ended_at = ${now}::timestamptz
      where holder = ${holder}::text and ended_at is null`,
  );
}

type RunRow = {
  started_at: Date;
  ended_at: Date | null;
  lapses_at: Date;
  error: string | null;
  fixing: boolean;
  too_many_errors: boolean;
  results: readonly Finding[];
  /** Not ended, and not renewed in time. */
  lapsed: boolean;
};

export async function readRun(store: Queries): Promise<IntegrityResults> {
  const [row] = await store.query(
    sql<RunRow>`select started_at, ended_at, lapses_at, error, fixing, too_many_errors, results,
        ended_at is null and lapses_at < clock_timestamp() as lapsed from integrity_run`,
  );
  return row ? resultsOf(row) : NEVER;
}

const NEVER: IntegrityResults = {
  startTime: null,
  endTime: null,
  error: null,
  fixingErrors: false,
  inProgress: false,
  tooManyErrors: false,
  results: [],
};

function resultsOf(row: RunRow): IntegrityResults {
  return {
    startTime: row.started_at,
    endTime: row.lapsed ? row.lapses_at : row.ended_at,
    error: row.lapsed ? 'the controller that ran it is gone' : row.error,
    fixingErrors: row.fixing,
    inProgress: row.ended_at === null && !row.lapsed,
    tooManyErrors: row.too_many_errors,
    results: row.results,
  };
}

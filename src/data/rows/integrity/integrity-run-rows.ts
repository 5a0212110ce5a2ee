import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import { jsonValue } from '../../prisma/model-values.js';
import type { TableRow } from '../../prisma/models.js';

declare module '../../prisma/models.js' {
  interface ColumnShapes {
    IntegrityRun: { readonly results: readonly Finding[] };
  }
}

/** A fault in one sentence for operators. */
export interface Finding {
  readonly description: string;
  /** Whether this run has repaired it. */
  readonly fixed: boolean;
}

/** The findings of a run so far. */
export interface RunFindings {
  readonly listed: readonly Finding[];
  /** Whether there are more findings than listed. */
  readonly tooMany: boolean;
}

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
 * The integrity check of the network. The table has one row, which its holder must renew. The clock of the
 * database decides about expiry, so that different clocks of controllers free nothing too early: statements
 * compare with it and claim the run.
 */
const LIFE = sql`clock_timestamp() + interval '60 s'`;

/** Claims the run for `holder`, unless one is running at any controller. */
export async function claim(
  rows: Rows,
  holder: string,
  fixing: boolean,
  now: Date,
): Promise<boolean> {
  const claimed = await rows.query(
    sql`insert into integrity_run as r (name, holder, fixing, started_at, lapses_at)
      values ('network', ${holder}::text, ${fixing}::boolean, ${now}::timestamptz, ${LIFE})
      on conflict (name) do update set holder = excluded.holder, fixing = excluded.fixing,
        started_at = excluded.started_at, ended_at = null, error = null, too_many_errors = false,
        results = '[]', lapses_at = excluded.lapses_at
      where r.ended_at is not null or r.lapses_at < clock_timestamp() returning holder`,
  );
  return claimed.length > 0;
}

/** Renews the claim and stores the findings; gives false when another holder has the run. */
export async function keep(
  rows: Rows,
  holder: string,
  { listed, tooMany }: RunFindings,
): Promise<boolean> {
  const renewed = await rows.query(
    sql`update integrity_run set results = ${JSON.stringify(listed)}::jsonb,
        too_many_errors = ${tooMany}::boolean, lapses_at = ${LIFE}
      where holder = ${holder}::text and ended_at is null returning holder`,
  );
  return renewed.length > 0;
}

export const end = (
  rows: Rows,
  holder: string,
  { listed, tooMany }: RunFindings,
  error: string | null,
  now: Date,
): Promise<unknown> =>
  rows.writeModel((models) =>
    models.integrityRun.updateMany({
      where: { holder, endedAt: null },
      data: { results: jsonValue(listed), tooManyErrors: tooMany, error, endedAt: now },
    }),
  );

type RunRow = Pick<
  TableRow<'IntegrityRun'>,
  'startedAt' | 'endedAt' | 'lapsesAt' | 'error' | 'fixing' | 'tooManyErrors' | 'results'
> & {
  /** Not ended, and not renewed in time. */
  readonly isLapsed: boolean;
};

export async function read(rows: Rows): Promise<IntegrityResults> {
  const [row] = await rows.query(
    sql<RunRow>`select started_at as "startedAt", ended_at as "endedAt", lapses_at as "lapsesAt", error, fixing,
        too_many_errors as "tooManyErrors", results,
        ended_at is null and lapses_at < clock_timestamp() as "isLapsed" from integrity_run`,
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
    startTime: row.startedAt,
    endTime: row.isLapsed ? row.lapsesAt : row.endedAt,
    error: row.isLapsed ? 'the controller that ran it is gone' : row.error,
    fixingErrors: row.fixing,
    inProgress: row.endedAt === null && !row.isLapsed,
    tooManyErrors: row.tooManyErrors,
    results: row.results,
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { login, type Effort } from './measure.js';
import { COMMON, common, id, sizeFor } from './network.js';
import { readsBeside } from './reads-beside.js';
import { scaleTable, timesTable } from './report.js';
import { LINES, measureScale } from './scale.js';
import { openStage, type ControllerSettings, type Server, type Stage } from './stage.js';

/** Many role assignments: the cost of the rest beside them, and their ends at the same time. */

export const ASSIGNMENT_LINES = { name: 'role assignments that end at once' };

/** Of each identity. */
const ASSIGNMENTS = 10;
const MAX_ENDING = 10_000;
/** More than two runs of the same network differ by. */
const MAX_COST = 1.1;
const POLL_MILLIS = 50;
const MAX_POLLS = 2_400;

const count = (n: number): string => n.toLocaleString('en');

/** Each identity has ten assignments; a policy opens services to those with the first of them. */
const assignmentsOf = (identities: number): string[] => {
  const attributes = `array(select 'duty-' || d from generate_series(0, ${String(ASSIGNMENTS - 1)}) d)`;
  return [
    `insert into role_assignment (id, created_at, updated_at, identity_id, role_attribute, source, state, active_from)
      select ${id('duty', `n || '-' || d`)}, now(), now(), ${id('identity')}, 'duty-' || d, 'hand', 'ACTIVE', now() - interval '1 h'
      from generate_series(1, ${String(identities)}) n, generate_series(0, ${String(ASSIGNMENTS - 1)}) d`,
    `update identity i set assigned_role_attributes = ${attributes}
      from generate_series(1, ${String(identities)}) n where i.id = ${id('identity')}`,
    `insert into service_policy (${COMMON}, type, semantic, identity_roles, service_roles)
      select ${common('on-duty')}, 'Dial', 'AnyOf', array['#duty-0'], array['#app-1'] from generate_series(1, 1) n`,
  ];
};

interface Chosen {
  readonly identities: number;
  readonly settings: ControllerSettings;
  readonly effort: Effort;
}

/** Two networks of its own, since nobody else has assignments: what they cost others, and their ends. */
export async function measureAssignments(server: Server, chosen: Chosen): Promise<void> {
  const { identities, settings } = chosen;
  const stage = await openStage(server, sizeFor(identities), settings, assignmentsOf(identities));
  try {
    await compareWithout(server, stage, chosen);
    await measureEndings(stage, identities);
  } finally {
    await stage.stop();
  }
}

/** The lines of the benchmark in a network without assignments and in one with them. */
async function compareWithout(
  server: Server,
  stage: Stage,
  { identities, settings, effort }: Chosen,
): Promise<void> {
  const without = await openStage(server, sizeFor(identities), settings);
  try {
    const results = await measureScale(without, stage, effort, LINES);
    const all = count(identities * ASSIGNMENTS);
    console.log(`\n${scaleTable(['without', `with ${all} assignments`], results, MAX_COST)}`);
  } finally {
    await without.stop();
  }
}

async function measureEndings(stage: Stage, identities: number): Promise<void> {
  const ending = Math.min(MAX_ENDING, identities);
  const { done: seconds, times } = await readsBeside(stage, await login(stage), {
    what: `${count(ending)} assignments end`,
    work: () => endAtOnce(stage, ending),
  });
  console.log(
    `\n${timesTable(`role assignments, ${count(identities * ASSIGNMENTS)} in all`, times)}`,
  );
  console.log(`all had ended after ${seconds.toFixed(1)} s`);
}

/** Lets assignments end now; gives the seconds until the last one has ended. */
async function endAtOnce({ databaseUrl }: Stage, ending: number): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `update role_assignment set active_until = clock_timestamp()
        where id in (select ${id('duty', `n || '-0'`)} from generate_series(1, $1::int) n)`,
      [ending],
    );
    const began = performance.now();
    for (let poll = 0; poll < MAX_POLLS; poll += 1) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int from role_assignment where state = 'ACTIVE' and active_until is not null`,
      );
      if (rows[0]?.count === 0) return (performance.now() - began) / 1000;
      await delay(POLL_MILLIS);
    }
    throw new Error('not all assignments ended');
  } finally {
    await client.end();
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { login } from './measure.js';
import { COMMON, common, id, sizeFor } from './network.js';
import { readsBeside } from './reads-beside.js';
import { timesTable } from './report.js';
import { openStage, type ControllerSettings, type Server, type Stage } from './stage.js';

/** Many role assignments that end at the same time. */

export const ENDINGS = { name: 'role assignments that end at once' };

/** Of each identity. */
const ASSIGNMENTS = 10;
const MAX_ENDING = 10_000;
const POLL_MILLIS = 50;
const MAX_POLLS = 2_400;

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

/** A network of its own, since nobody else has assignments. */
export async function measureEndings(
  server: Server,
  { identities, settings }: { readonly identities: number; readonly settings: ControllerSettings },
): Promise<void> {
  const stage = await openStage(server, sizeFor(identities), settings, assignmentsOf(identities));
  try {
    const count = Math.min(MAX_ENDING, identities);
    const { done: seconds, times } = await readsBeside(stage, await login(stage), {
      what: `${count.toLocaleString('en')} assignments end`,
      work: () => endAtOnce(stage, count),
    });
    const all = (identities * ASSIGNMENTS).toLocaleString('en');
    console.log(`\n${timesTable(`role assignments, ${all} in all`, times)}`);
    console.log(`all had ended after ${seconds.toFixed(1)} s`);
  } finally {
    await stage.stop();
  }
}

/** Lets assignments end now; gives the seconds until the last one has ended. */
async function endAtOnce({ databaseUrl }: Stage, count: number): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `update role_assignment set active_until = clock_timestamp()
        where id in (select ${id('duty', `n || '-0'`)} from generate_series(1, $1::int) n)`,
      [count],
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

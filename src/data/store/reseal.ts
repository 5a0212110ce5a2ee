import pg from 'pg';
import { CHANGE_CHANNEL } from './change-notice.js';
import { StartError } from '../../base/start-error.js';

/** The columns that are sealed with the secret key, by table. */
const SEALED = [
  { table: 'mfa', key: 'identity_id', columns: ['secret', 'recovery_codes'] },
] as const;

const SLICE = 1_000;

export interface Reseal {
  readonly url: string;
  readonly now: Date;
  /** The key checks of the secret key before and after. */
  readonly keyChecks: readonly [before: string, after: string];
  /** Opens with the old key and seals with the new one; throws if the old key does not fit. */
  readonly reseal: (sealed: string) => string;
}

/**
 * Seals all secrets with another secret key and updates the network record, in one transaction.
 * Gives the number of secrets. No controller may run, since it would keep the old key. Statements, not
 * models: a program without a store sends them by a plain client, and each writes many rows.
 */
export async function resealSecrets({ url, now, keyChecks, reseal }: Reseal): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Controllers that start now wait for this lock, and then see the new key.
    await client.query('begin; set local statement_timeout = 0; lock table network_record');
    await refuseRunning(client);
    const id = await changeRecord(client, keyChecks);
    let count = 0;
    for (const sealed of SEALED) count += await resealTable(client, sealed, reseal);
    await client.query(
      `insert into change (epoch, at, entity_type, entity_id, operation, revision, before, after, address)
       select epoch, $1, 'NetworkRecord', id, 'update', epoch, $3, $4, 'command line' from network_record where id = $2`,
      [
        now,
        id,
        JSON.stringify({ keyCheck: keyChecks[0] }),
        JSON.stringify({ keyCheck: keyChecks[1] }),
      ],
    );
    await client.query(`notify ${CHANGE_CHANNEL}`);
    await client.query('commit');
    return count;
  } finally {
    // Also ends a transaction that is still open.
    await client.end();
  }
}

/** Refuses to run beside a controller; a killed one counts as running for 15 seconds. */
async function refuseRunning(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select name from controller where last_seen_at > clock_timestamp() - interval '15 s' limit 1`,
  );
  const [running] = rows;
  if (!running) return;
  throw new StartError(
    `${running.name} is running on this database`,
    'stop all controllers first; one that was killed counts for 15 seconds',
  );
}

async function changeRecord(
  client: pg.ClientBase,
  keyChecks: Reseal['keyChecks'],
): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    'update network_record set key_check = $2 where key_check = $1 returning id',
    [...keyChecks],
  );
  const [record] = rows;
  if (record) return record.id;
  throw new StartError(
    'the secret key here is not that of the network in the database',
    'rotate where the controller of this network runs',
  );
}

async function resealTable(
  client: pg.ClientBase,
  { table, key, columns }: (typeof SEALED)[number],
  reseal: Reseal['reseal'],
): Promise<number> {
  const selected = [key, ...columns].map((name) => `"${name}"`).join(', ');
  const assigned = columns.map((name, i) => `"${name}" = v.c${String(i)}`).join(', ');
  const arrays = columns.map((_, i) => `$${String(i + 2)}::text[]`).join(', ');
  const names = columns.map((_, i) => `c${String(i)}`).join(', ');
  let count = 0;
  for (let after = ''; ;) {
    const { rows } = await client.query<Record<string, string>>(
      `select ${selected} from "${table}" where "${key}" > $1 order by "${key}" limit ${String(SLICE)} for update`,
      [after],
    );
    const values = columns.map((name) => rows.map((row) => reseal(row[name] ?? '')));
    await client.query(
      `update "${table}" t set ${assigned} from unnest($1::text[], ${arrays}) v(id, ${names}) where t."${key}" = v.id`,
      [rows.map((row) => row[key]), ...values],
    );
    count += rows.length * columns.length;
    if (rows.length < SLICE) return count;
    after = rows.at(-1)?.[key] ?? '';
  }
}

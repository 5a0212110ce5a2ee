import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KillRounds } from './kill-rounds.js';
import { isThere } from './ledger.js';
import { hasProcesses } from './processes.js';
import { KINDS } from './victim.js';

/** Some of what `long/kill.test.ts` does a thousand times. */

const withProcesses = hasProcesses ? describe : describe.skip;

withProcesses('a controller with its own PostgreSQL, while it is written to,', () => {
  let rounds: KillRounds;
  beforeAll(async () => {
    rounds = await KillRounds.begin(20_261_120);
  });
  afterAll(() => rounds.end(), 120_000);

  test.each(KINDS)(
    'keeps all that it has acknowledged when this is killed: %s',
    async (kind) => {
      await rounds.round(kind);
      expect(rounds.recoveries.at(-1)).toMatchObject({ kind });
    },
    300_000,
  );

  test('has sound data afterwards', async () => {
    await rounds.checkLedger(true);
    await rounds.checkIntegrity();
    expect(rounds.ledger.acknowledged).toBeGreaterThan(0);
  });

  test('would show what was lost', async () => {
    const [lost, halved, unlogged] = rounds.ledger.all.filter(isThere);
    await rounds.query('delete from service where id = $1', [lost?.id]);
    await rounds.query('update service set max_idle_time_millis = 0 where id = $1', [halved?.id]);
    await rounds.query('delete from change where entity_id = $1', [unlogged?.id]);
    const faults = String(await rounds.checkLedger(true).catch((error: unknown) => error));
    expect(faults).toContain(`${String(lost?.name)} is lost`);
    expect(faults).toMatch(new RegExp(`${String(halved?.name)} has the marks 0,`));
    expect(faults).toContain(`${String(unlogged?.name)} has 0 of`);
    expect(faults).toContain('shows other services or marks');
  });
});

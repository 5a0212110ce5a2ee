import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { nothingHappened, Simulation, type Happened } from '../simulation.js';

/*
 * As `decisions.test.ts`, with up to a million changes and other histories each time. `OVERGRAPH_SEED` begins with a seed
 * that a failure has printed.
 */

const CHANGES = 1_000_000;
const COMMITS = 80;
const PRINTED = 10_000;
/** The run ends then, however many changes it has made. */
const MAX_MILLIS = 40 * 60_000;

describe('for a million changes, or forty minutes', () => {
  test(
    'routers decide as the controller does',
    async () => {
      const begunAt = performance.now();
      const happened = nothingHappened();
      let seed = Number(process.env.OVERGRAPH_SEED ?? Date.now() % 1_000_000_000);
      process.stderr.write(`the first seed is ${String(seed)}\n`);
      while (happened.changes < CHANGES && performance.now() - begunAt < MAX_MILLIS) {
        const before = happened.changes;
        await history(seed, happened);
        seed += 1;
        if (Math.floor(before / PRINTED) < Math.floor(happened.changes / PRINTED)) {
          print(happened, seed, performance.now() - begunAt);
        }
        await nextTurn();
      }
      print(happened, seed, performance.now() - begunAt);
      for (const count of Object.values(happened)) expect(count).toBeGreaterThan(0);
    },
    MAX_MILLIS + 60_000,
  );
});

async function history(seed: number, happened: Happened): Promise<void> {
  try {
    await new Simulation(seed, happened).run(COMMITS);
  } catch (error) {
    throw new Error(`the history with the seed ${String(seed)}`, { cause: error });
  }
}

const print = (happened: Happened, seed: number, millis: number): void => {
  const seconds = String(Math.round(millis / 1_000));
  process.stderr.write(`${seconds} s, seed ${String(seed)}: ${JSON.stringify(happened)}\n`);
};

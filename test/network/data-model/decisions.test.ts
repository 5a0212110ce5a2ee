import { describe, expect, test } from '@jest/globals';
import { nothingHappened, Simulation } from './simulation.js';

const HISTORIES = 20;
const COMMITS = 80;
const FIRST_SEED = 20_261_128;
/** Of histories that have shown faults. */
const SEEDS = [863_864_932];

describe('after any history', () => {
  test('routers decide as the controller does', async () => {
    const happened = nothingHappened();
    for (const seed of [...Array.from({ length: HISTORIES }, (_, i) => FIRST_SEED + i), ...SEEDS]) {
      try {
        await new Simulation(seed, happened).run(COMMITS);
      } catch (error) {
        throw new Error(`the history with the seed ${String(seed)}`, { cause: error });
      }
    }
    expect(happened.setsAfterTakeOver).toBeGreaterThan(HISTORIES);
    for (const count of Object.values(happened)) expect(count).toBeGreaterThan(0);
  });
});

import { describe, expect, test } from '@jest/globals';
import { nothingHappened, Simulation } from './simulation.js';

const HISTORIES = 25;
const COMMITS = 60;
const SEED = 20_261_128;

describe('after any history', () => {
  test('routers decide as the controller does', async () => {
    const happened = nothingHappened();
    for (let seed = SEED; seed < SEED + HISTORIES; seed += 1) {
      try {
        await new Simulation(seed, happened).run(COMMITS);
      } catch (error) {
        throw new Error(`the history with the seed ${String(seed)}`, { cause: error });
      }
    }
    expect(happened.setsAfterTakeOver).toBeGreaterThan(HISTORIES);
    for (const count of Object.values(happened)) expect(count).toBeGreaterThan(HISTORIES / 10);
  });
});

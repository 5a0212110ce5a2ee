import { expect, test } from '@jest/globals';
import { runGarbage } from '../garbage-run.js';

/*
 * A hundred thousand requests: `npm run test:long -- oidc/long`. OVERGRAPH_FUZZ_SEED repeats a run, and
 * OVERGRAPH_FUZZ_COUNT sets its length.
 */

const HOUR = 3_600_000;
const { OVERGRAPH_FUZZ_SEED = String(Date.now() % 2 ** 31), OVERGRAPH_FUZZ_COUNT = '100000' } =
  process.env;

test(
  'garbage is refused as the standards say, and tells no secret',
  async () => {
    const [seed, count] = [Number(OVERGRAPH_FUZZ_SEED), Number(OVERGRAPH_FUZZ_COUNT)];
    const tell = (sent: number): void => {
      process.stderr.write(`seed ${String(seed)}: ${String(sent)} requests\n`);
    };
    const { faults, sent, statuses } = await runGarbage({ seed, count, onPart: tell });
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
    process.stderr.write(`seed ${String(seed)}: ${counts.join(', ')}\n`);
    expect(faults).toEqual([]);
    expect(sent).toBe(count);
  },
  2 * HOUR,
);

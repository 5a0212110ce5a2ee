import type { Vitals } from '../vital-signs.js';

const least = (values: readonly number[]): number => Math.min(...values);

/**
 * How much memory grew, in MiB, from the second fifth of a run to the last: what each of them fell
 * to, since between two collections the heap holds what nobody uses any more.
 */
export function flatness(samples: readonly Vitals[]): {
  readonly heapGrowth: number;
  readonly residentGrowth: number;
} {
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const early = samples.slice(fifth, 2 * fifth);
  const late = samples.slice(-fifth);
  const growth = (of: (vitals: Vitals) => number): number =>
    least(late.map(of)) - least(early.map(of));
  return { heapGrowth: growth((m) => m.heap), residentGrowth: growth((m) => m.resident) };
}

import { KINDS, type Kind } from './victim.js';

export interface Recovery {
  readonly kind: Kind;
  /** From the last kill to the first good read and the first good write. */
  readonly millis: number;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

export const millisOf = (recoveries: readonly Recovery[], kind?: Kind): number[] =>
  recoveries.filter((one) => kind === undefined || one.kind === kind).map(({ millis }) => millis);

/** "controller 1510/2100/2500, ...": p50, p99 and the longest. */
export const tell = (recoveries: readonly Recovery[]): string =>
  [...KINDS, undefined]
    .map((kind) => [kind ?? 'all', millisOf(recoveries, kind)] as const)
    .filter(([, millis]) => millis.length > 0)
    .map(([kind, millis]) => `${kind} ${shares(millis)}`)
    .join(', ');

const shares = (millis: readonly number[]): string =>
  [0.5, 0.99, 1].map((share) => Math.round(percentile(millis, share))).join('/');

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MAX_DURATION_MS = 10 * 365 * UNIT_MS.d;
const MAX_LEEWAY_MS = 10 * UNIT_MS.m;

/** The reason why a value is invalid; zod reports it for the variable. */
export class Refusal extends Error {}

export function wholeNumber(text: string, highest: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= highest)) throw new Refusal(`"${text}" is not a whole number up to ${highest}`);
  return value;
}

export function duration(text: string): number {
  const [, amount, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) throw new Refusal(`"${text}" is not a duration`);
  const value = Number(amount) * (UNIT_MS[unit as keyof typeof UNIT_MS] satisfies number);
  if (value < 1000 || value > MAX_DURATION_MS) {
    throw new Refusal(`"${text}" is not between one second and ten years`);
  }
  return value;
}

export const durationOrNone = (text: string): number =>
  /^0(ms|s|m|h|d)?$/.test(text) ? 0 : duration(text);

/** An accepted difference between clocks. */
export function leeway(text: string): number {
  const value = durationOrNone(text);
  if (value > MAX_LEEWAY_MS) throw new Refusal(`"${text}" is more than ten minutes`);
  return value;
}

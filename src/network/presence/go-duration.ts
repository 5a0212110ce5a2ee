const MILLIS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
/** The largest duration in 64 bits of nanoseconds. */
const MAX_MILLIS = 9_223_372_036_854;

/** Gives the milliseconds of a positive duration of Go, such as `10m` or `1h30m`; else undefined. */
export function goDuration(text: string): number | undefined {
  let total = 0;
  let at = text.startsWith('+') ? 1 : 0;
  while (at < text.length) {
    PART.lastIndex = at;
    const [part, amount = '', unit = ''] = PART.exec(text) ?? [];
    if (part === undefined) return undefined;
    total += Number(amount) * (MILLIS[unit] ?? NaN);
    at += part.length;
  }
  return total > 0 && total <= MAX_MILLIS ? total : undefined;
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The instant of a value; an invalid `Date` if it has none. Its text is that of RFC 3339. */
export function instantOf(value: unknown): Date {
  if (value instanceof Date) return value;
  const isInstant = typeof value === 'string' && RFC3339.test(value) && isDay(value.slice(0, 10));
  return new Date(isInstant ? value : NaN);
}

/** The same for texts that may also be a day, which begins at midnight, UTC. */
export const instantOrDayOf = (text: string): Date =>
  DAY.test(text) && isDay(text) ? new Date(text) : instantOf(text);

/** `Date` takes the 30th of February for the first of March. */
function isDay(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

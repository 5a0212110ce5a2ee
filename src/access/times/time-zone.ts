/*
 * Times of a zone by `Intl`, which has the data of the IANA zones of Node.js. A library would bring a second copy of
 * these data or only wrap `Intl`, and the two questions here are short.
 */

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/** A time in which the clocks of a zone differ from UTC by the same. */
interface OffsetPeriod {
  readonly start: number;
  readonly end: number;
  /** Milliseconds that the clocks are before UTC. */
  readonly offset: number;
}

/** Whether this is the name of a zone such as `Europe/Zurich`. Fixed differences such as `+01:00` are none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * The periods of one offset from `from` on, none longer than a day, for so many days: most who ask stop at an early
 * one. `from` is at the beginning of a minute.
 */
export function* offsetPeriods(
  timeZone: string,
  from: number,
  days: number,
): Generator<OffsetPeriod> {
  const last = from + days * DAY;
  let offset = offsetAt(timeZone, from);
  for (let start = from; start < last; start += DAY) {
    const end = start + DAY;
    const later = offsetAt(timeZone, end);
    if (later === offset) {
      yield { start, end, offset };
      continue;
    }
    const turn = turnOfClocks(timeZone, start, end);
    yield { start, end: turn, offset };
    yield { start: turn, end, offset: later };
    offset = later;
  }
}

/** The first minute with the offset of `late`. No zone turns its clocks twice a day. */
function turnOfClocks(timeZone: string, early: number, late: number): number {
  const later = offsetAt(timeZone, late);
  let [before, after] = [early, late];
  while (after - before > MINUTE) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE) * MINUTE;
    if (offsetAt(timeZone, middle) === later) after = middle;
    else before = middle;
  }
  return after;
}

/** `GMT`, `GMT+01:00` or, for times long ago, `GMT+00:34:08`. */
const OFFSET = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/** Milliseconds that the clocks of a zone are before UTC at a time. */
export function offsetAt(timeZone: string, at: number): number {
  const parts = formatOf(timeZone).formatToParts(at);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const match = OFFSET.exec(name);
  if (!match) throw new Error(`an offset of ${timeZone} is ${name}`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -size : size;
}

/** A format takes longer to make than to use; there are some hundred zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const existing = formats.get(timeZone);
  if (existing) return existing;
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  // Each spelling of a name is valid, and the map must not grow by them.
  if (formats.size < MAX_FORMATS) formats.set(timeZone, format);
  return format;
}

const MAX_FORMATS = 1_000;

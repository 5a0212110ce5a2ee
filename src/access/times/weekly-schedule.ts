import { offsetAt, offsetPeriods } from './time-zone.js';
import { WEEKDAY, type WeeklyWindow } from './weekly-window.js';

const MINUTE = 60_000;
const DAY_MINUTES = 1_440;
const WEEK_MINUTES = 7 * DAY_MINUTES;
/** Monday, 1969-12-29. */
const MONDAY_MILLIS = -3 * DAY_MINUTES * MINUTE;
/**
 * A window once a week may lie in the hour that the clocks leave out, and then comes again a week later. What does not
 * change in this time never does.
 */
const HORIZON_DAYS = 22;

/** Times are milliseconds since 1970, UTC; minutes are those of a week, from Monday 00:00. */
export interface Schedule {
  isOpen(at: number): boolean;
  /** The next time at which `isOpen` has another answer; undefined if it always has the same. */
  nextChange(at: number): number | undefined;
}

/** Without windows it is always open. */
export const scheduleOf = (windows: readonly WeeklyWindow[], timeZone: string | null): Schedule =>
  windows.length === 0 || timeZone === null ? ALWAYS : new WeeklySchedule(windows, timeZone);

const ALWAYS: Schedule = { isOpen: () => true, nextChange: () => undefined };

/** Open while the clocks on the walls of a zone show a time of a window. */
class WeeklySchedule implements Schedule {
  readonly #parts: readonly WindowPart[];
  /** The minutes at which it opens or closes. */
  readonly #boundaries: readonly number[];

  constructor(
    windows: readonly WeeklyWindow[],
    private readonly timeZone: string,
  ) {
    this.#parts = windows.flatMap(partsOf);
    const ends = this.#parts.flatMap(({ start, length }) => [start, inWeek(start + length)]);
    this.#boundaries = [...new Set(ends)].filter(
      (minute) => this.#isOpenAt(minute) !== this.#isOpenAt(inWeek(minute - 1)),
    );
  }

  isOpen(at: number): boolean {
    return this.#isOpenAt(weekMinute(at, offsetAt(this.timeZone, at)));
  }

  nextChange(at: number): number | undefined {
    const isOpen = this.isOpen(at);
    const first = toMinute(at);
    for (const { start, end, offset } of offsetPeriods(this.timeZone, first, HORIZON_DAYS)) {
      const minute = weekMinute(start, offset);
      if (this.#isOpenAt(minute) !== isOpen) return start;
      const next = start + this.#minutesToBoundary(minute) * MINUTE;
      if (next < end) return next;
    }
    return undefined;
  }

  #isOpenAt(minute: number): boolean {
    return this.#parts.some(({ start, length }) => inWeek(minute - start) < length);
  }

  #minutesToBoundary(minute: number): number {
    // A boundary at this minute itself comes again after a week.
    return Math.min(...this.#boundaries.map((b) => inWeek(b - minute - 1) + 1));
  }
}

interface WindowPart {
  readonly start: number;
  readonly length: number;
}

function partsOf({ days, from, to }: WeeklyWindow): WindowPart[] {
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  const length = end > begin ? end - begin : end + DAY_MINUTES - begin;
  return days.map((day) => ({ start: WEEKDAY.values.indexOf(day) * DAY_MINUTES + begin, length }));
}

/** `08:30` -> 510. */
const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

const toMinute = (at: number): number => Math.floor(at / MINUTE) * MINUTE;

const weekMinute = (at: number, offset: number): number =>
  inWeek(Math.floor((at + offset - MONDAY_MILLIS) / MINUTE));

const inWeek = (minutes: number): number =>
  ((minutes % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;

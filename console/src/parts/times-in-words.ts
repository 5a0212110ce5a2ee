import { texts } from '../texts.js';

const words = texts.times;
const DAYS = Object.keys(words.days);

/** A member of a form may be missing. */
export interface WeeklyWindow {
  readonly days?: readonly string[];
  readonly from?: string;
  readonly to?: string;
}

export interface Times {
  readonly weeklyWindows?: readonly WeeklyWindow[];
  readonly timeZone?: string | null;
  readonly validFrom?: string | null;
  readonly validUntil?: string | null;
}

const SEVERAL = new Intl.ListFormat('en-GB', { type: 'conjunction' });

export const isFinished = ({ days = [], from = '', to = '' }: WeeklyWindow): boolean =>
  days.length > 0 && from !== '' && to !== '';

/** `Mon to Fri 08:00–18:00 and Sat 09:00–12:00, by the clocks of Europe/Zurich`. */
export function windowsInWords({ weeklyWindows = [], timeZone }: Times): string {
  const windows = weeklyWindows.filter(isFinished).map(windowInWords);
  const zone = timeZone ? [words.clocks(timeZone)] : [];
  return windows.length === 0 ? '' : [SEVERAL.format(windows), ...zone].join(', ');
}

/** The windows with the begin and the end; nothing: all times. */
export function timesInWords(times: Times): string {
  const { validFrom, validUntil } = times;
  const windows = windowsInWords(times);
  return [
    ...(windows === '' ? [] : [windows]),
    ...(validFrom ? [words.from(localTime(validFrom))] : []),
    ...(validUntil ? [words.until(localTime(validUntil))] : []),
  ].join(', ');
}

const localTime = (at: string): string => new Date(at).toLocaleString();

function windowInWords({ days = [], from = '', to = '' }: WeeklyWindow): string {
  const hours = words.hours(daysInWords(days), from, to);
  return to <= from ? `${hours} ${words.overnight}` : hours;
}

/** Days that follow each other are a range from three of them on. */
function daysInWords(days: readonly string[]): string {
  const chosen = DAYS.filter((day) => days.includes(day));
  if (chosen.length === DAYS.length) return words.everyDay;
  return rangesOf(chosen).map(rangeInWords).join(', ');
}

function rangesOf(days: readonly string[]): readonly (readonly string[])[] {
  const ranges: string[][] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    const isNext = last && DAYS.indexOf(last.at(-1) ?? '') === DAYS.indexOf(day) - 1;
    if (isNext) last.push(day);
    else ranges.push([day]);
  }
  return ranges;
}

function rangeInWords(range: readonly string[]): string {
  const names = range.map((day) => words.days[day as keyof typeof words.days]);
  const [first = '', second, ...others] = names;
  const last = others.at(-1);
  if (last !== undefined) return words.dayRange(first, last);
  return second === undefined ? first : `${first}, ${second}`;
}

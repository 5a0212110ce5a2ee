import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { forceAt, type PolicyTimes } from '../../../src/access/times/force-at.js';
import { runs } from '../../support/runs.js';

/** When a service policy is in force, by its times alone. */

const ALL_DAYS = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const;
const WORKDAYS = ALL_DAYS.slice(0, 5);

const ALWAYS: PolicyTimes = {
  validFrom: null,
  validUntil: null,
  weeklyWindows: [],
  timeZone: null,
};

const weekly = (
  timeZone: string,
  ...windows: (readonly [days: readonly (typeof ALL_DAYS)[number][], from: string, to: string])[]
): PolicyTimes => ({
  ...ALWAYS,
  timeZone,
  weeklyWindows: windows.map(([days, from, to]) => ({ days: [...days], from, to })),
});

const force = (times: PolicyTimes, at: string): readonly [boolean, string | null] => {
  const { isInForce, nextChangeAt } = forceAt(times, new Date(at));
  return [isInForce, nextChangeAt?.toISOString() ?? null];
};

describe('without windows', () => {
  const FROM = '2026-06-01T10:00:00.000Z';
  const UNTIL = '2026-06-30T15:30:20.250Z';
  const times: PolicyTimes = { ...ALWAYS, validFrom: new Date(FROM), validUntil: new Date(UNTIL) };

  test.each([
    ['2026-06-01T09:59:59.999Z', false, FROM],
    [FROM, true, UNTIL],
    ['2026-06-30T15:30:20.249Z', true, UNTIL],
    [UNTIL, false, null],
    ['2027-01-01T00:00:00.000Z', false, null],
  ])('at %s', (at, isInForce, next) => {
    expect(force(times, at)).toStrictEqual([isInForce, next]);
  });

  test('and without times it is in force for ever', () => {
    expect(force(ALWAYS, FROM)).toStrictEqual([true, null]);
  });
});

/** In Zurich the clocks go from 02:00 to 03:00 on 2026-03-29, and from 03:00 to 02:00 on 2026-10-25, at 01:00 UTC. */
describe('in the nights in which the clocks are turned', () => {
  const night = weekly('Europe/Zurich', [['SUNDAY'], '02:30', '03:30']);

  test('a window that begins in the hour that is left out begins behind it', () => {
    expect(force(night, '2026-03-28T12:00:00Z')).toStrictEqual([false, '2026-03-29T01:00:00.000Z']);
    expect(force(night, '2026-03-29T01:00:00Z')).toStrictEqual([true, '2026-03-29T01:30:00.000Z']);
    expect(force(night, '2026-03-29T01:30:00Z')).toStrictEqual([false, '2026-04-05T00:30:00.000Z']);
  });

  test('a window within the hour that is left out does not come', () => {
    const short = weekly('Europe/Zurich', [['SUNDAY'], '02:15', '02:45']);
    expect(force(short, '2026-03-22T02:00:00Z')).toStrictEqual([false, '2026-04-05T00:15:00.000Z']);
  });

  test('a window in the hour that comes twice is open in both of them', () => {
    expect(force(night, '2026-10-25T00:00:00Z')).toStrictEqual([false, '2026-10-25T00:30:00.000Z']);
    expect(force(night, '2026-10-25T00:30:00Z')).toStrictEqual([true, '2026-10-25T01:00:00.000Z']);
    expect(force(night, '2026-10-25T01:00:00Z')).toStrictEqual([false, '2026-10-25T01:30:00.000Z']);
    expect(force(night, '2026-10-25T01:30:00Z')).toStrictEqual([true, '2026-10-25T02:30:00.000Z']);
  });

  test('the hours of work stay those of the clocks', () => {
    const work = weekly('Europe/Zurich', [WORKDAYS, '08:00', '18:00']);
    expect(force(work, '2026-03-27T18:00:00Z')).toStrictEqual([false, '2026-03-30T06:00:00.000Z']);
    expect(force(work, '2026-10-23T18:00:00Z')).toStrictEqual([false, '2026-10-26T07:00:00.000Z']);
  });
});

describe('windows', () => {
  test('over midnight belong to the day on which they begin', () => {
    const nights = weekly('UTC', [['SUNDAY'], '22:00', '06:00']);
    // 2026-06-07 is a Sunday.
    expect(force(nights, '2026-06-07T05:00:00Z')).toStrictEqual([
      false,
      '2026-06-07T22:00:00.000Z',
    ]);
    expect(force(nights, '2026-06-08T05:59:59Z')).toStrictEqual([true, '2026-06-08T06:00:00.000Z']);
    expect(force(nights, '2026-06-08T06:00:00Z')).toStrictEqual([
      false,
      '2026-06-14T22:00:00.000Z',
    ]);
  });

  test('that touch or overlap make one', () => {
    const shifts = weekly(
      'UTC',
      [['MONDAY'], '06:00', '14:00'],
      [['MONDAY'], '14:00', '22:00'],
      [['MONDAY'], '20:00', '22:30'],
    );
    expect(force(shifts, '2026-06-08T07:00:00Z')).toStrictEqual([true, '2026-06-08T22:30:00.000Z']);
  });

  test('that fill the week never change', () => {
    for (const [from, to] of [
      ['00:00', '00:00'],
      ['08:00', '08:00'],
    ] as const) {
      const full = weekly('Europe/Zurich', [ALL_DAYS, from, to]);
      expect(force(full, '2026-03-29T00:59:00Z')).toStrictEqual([true, null]);
    }
  });

  test('count only between the beginning and the end', () => {
    const times: PolicyTimes = {
      ...weekly('UTC', [WORKDAYS, '08:00', '18:00']),
      validFrom: new Date('2026-06-13T10:00:00Z'),
      validUntil: new Date('2026-06-16T12:00:00Z'),
    };
    expect(force(times, '2026-06-01T10:00:00Z')).toStrictEqual([false, '2026-06-15T08:00:00.000Z']);
    expect(force(times, '2026-06-15T18:00:00Z')).toStrictEqual([false, '2026-06-16T08:00:00.000Z']);
    expect(force(times, '2026-06-16T08:00:00Z')).toStrictEqual([true, '2026-06-16T12:00:00.000Z']);
    expect(force(times, '2026-06-16T12:00:00Z')).toStrictEqual([false, null]);
    const ended = { ...times, validUntil: new Date('2026-06-14T00:00:00Z') };
    expect(force(ended, '2026-06-01T10:00:00Z')).toStrictEqual([false, null]);
  });
});

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const pad = (value: number): string => String(value).padStart(2, '0');

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 30, 59))
  .map(([hour, minute]) => `${pad(hour)}:${pad(minute)}`);
const windows = fc.array(fc.tuple(fc.subarray([...ALL_DAYS], { minLength: 1 }), time, time), {
  minLength: 1,
  maxLength: 4,
});
const ZONES = ['UTC', 'Europe/Zurich', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
/** Around the nights in which clocks are turned, in the north and in the south. */
const start = fc
  .tuple(
    fc.constantFrom(
      '2026-03-07',
      '2026-03-28',
      '2026-04-04',
      '2026-10-03',
      '2026-10-24',
      '2026-06-01',
    ),
    fc.integer({ min: 0, max: 2_880 }),
  )
  .map(([day, minute]) => Date.parse(day) + minute * MINUTE);

/** The clocks of a zone, by another form of `Intl` than that of the source. */
function clockOf(timeZone: string): (at: number) => { day: number; minute: number } {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, weekday: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  return (at) => {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, value]),
    );
    const day = ALL_DAYS.findIndex((name) => name === parts.weekday?.toUpperCase());
    return { day, minute: Number(parts.hour) * 60 + Number(parts.minute) };
  };
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** Whether the clock shows a time of a window, by the words of the documents. */
function isShown(times: PolicyTimes, { day, minute }: { day: number; minute: number }): boolean {
  const dayBefore = ALL_DAYS[(day + 6) % 7];
  const today = ALL_DAYS[day];
  return times.weeklyWindows.some(({ days, from, to }) => {
    const [begin, end] = [minutesOf(from), minutesOf(to)];
    const begins = days.some((one) => one === today);
    const began = days.some((one) => one === dayBefore);
    if (end > begin) return begins && minute >= begin && minute < end;
    return (begins && minute >= begin) || (began && minute < end);
  });
}

test('it is as a look at the clock each minute finds it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), windows, start, (timeZone, given, at) => {
      const times = weekly(timeZone, ...given);
      const clock = clockOf(timeZone);
      const { isInForce, nextChangeAt } = forceAt(times, new Date(at));
      expect(isInForce).toBe(isShown(times, clock(at)));
      // Within the three days in which the clocks are turned.
      const last = at + 3 * DAY;
      let change = at;
      while (change < last && isShown(times, clock(change)) === isInForce) change += MINUTE;
      if (change < last) expect(nextChangeAt?.getTime()).toBe(change);
      else expect(nextChangeAt?.getTime() ?? Infinity).toBeGreaterThanOrEqual(last);
    }),
    runs(60),
  );
});

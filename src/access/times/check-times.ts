import { invalidField } from '../../base/errors.js';
import type { PolicyTimes } from './force-at.js';
import { isTimeZone } from './time-zone.js';
import { WEEKDAY, type WeeklyWindow } from './weekly-window.js';

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const MAX_WINDOWS = 20;

/**
 * Checks the times of a service policy, and gives the days of its windows in the order of the week.
 * @throws ApiError COULD_NOT_VALIDATE on the member that is wrong
 */
export function checkedTimes(times: PolicyTimes): PolicyTimes {
  const { validFrom, validUntil, timeZone } = times;
  if (validFrom && validUntil && validUntil <= validFrom) {
    throw invalidField('validUntil', 'must be after validFrom', validUntil);
  }
  const weeklyWindows = checkedWindows(times.weeklyWindows);
  if (timeZone !== null && !isTimeZone(timeZone)) {
    throw invalidField(
      'timeZone',
      'must be the name of a time zone, such as Europe/Zurich',
      timeZone,
    );
  }
  if (weeklyWindows.length > 0 && timeZone === null) {
    throw invalidField('timeZone', 'is required with weeklyWindows', timeZone);
  }
  if (weeklyWindows.length === 0 && timeZone !== null) {
    throw invalidField('timeZone', 'has no meaning without weeklyWindows', timeZone);
  }
  return { validFrom, validUntil, weeklyWindows, timeZone };
}

function checkedWindows(windows: readonly WeeklyWindow[]): WeeklyWindow[] {
  if (windows.length > MAX_WINDOWS) {
    throw invalidField(
      'weeklyWindows',
      `must have at most ${String(MAX_WINDOWS)} entries`,
      windows.length,
    );
  }
  return windows.map(({ days, from, to }, i) => {
    const place = `weeklyWindows[${String(i)}]`;
    if (days.length === 0) throw invalidField(`${place}.days`, 'must name a day', days);
    checkTime(`${place}.from`, from);
    checkTime(`${place}.to`, to);
    return { days: WEEKDAY.values.filter((day) => days.includes(day)), from, to };
  });
}

function checkTime(field: string, time: string): void {
  if (!TIME.test(time)) throw invalidField(field, 'must be a time from 00:00 to 23:59', time);
}

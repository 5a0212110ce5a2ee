import type { WeeklyWindow } from './weekly-window.js';
import { scheduleOf } from './weekly-schedule.js';

/** The times of a service policy. */
export interface PolicyTimes {
  readonly validFrom: Date | null;
  readonly validUntil: Date | null;
  /** Empty: at all hours. */
  readonly weeklyWindows: readonly WeeklyWindow[];
  readonly timeZone: string | null;
}

/** Whether a service policy is in force, and when this changes by itself. */
export interface Force {
  readonly isInForce: boolean;
  readonly nextChangeAt: Date | null;
}

/** Each boundary is the first moment of what follows. */
export function forceAt({ weeklyWindows, timeZone, ...times }: PolicyTimes, now: Date): Force {
  const from = times.validFrom?.getTime() ?? -Infinity;
  const until = times.validUntil?.getTime() ?? Infinity;
  const at = now.getTime();
  const schedule = scheduleOf(weeklyWindows, timeZone);
  if (at >= until) return { isInForce: false, nextChangeAt: null };
  const start = Math.max(at, from);
  const next = schedule.nextChange(start) ?? Infinity;
  if (!schedule.isOpen(start)) return { isInForce: false, nextChangeAt: before(until, next) };
  if (at < from) return { isInForce: false, nextChangeAt: before(until, from) };
  return { isInForce: true, nextChangeAt: before(Infinity, Math.min(next, until)) };
}

const before = (end: number, time: number): Date | null => (time < end ? new Date(time) : null);

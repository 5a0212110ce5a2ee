import type { PostureSubject } from './posture-data.js';
import { declaredTypeOf } from './posture-types.js';
import type { Timing } from './types/posture-type.js';
import type { PostureCheckSpec, Verdict } from './declared-values.js';

/** A report of a device counts until it is replaced. */
const TIMELESS: Timing = { timeout: -1, timeoutRemaining: -1 };

/** Whether a check passes, without the reasons. */
export const passesCheck = (
  check: PostureCheckSpec,
  subject: PostureSubject,
  now: number,
): boolean => declaredTypeOf(check.typeId).rule.passes(check, subject, now);

/** Holds one check against what is stored of a device at an instant; nothing stored fails. */
export function evaluateCheck(
  check: PostureCheckSpec,
  subject: PostureSubject,
  now: number,
): Verdict {
  const type = declaredTypeOf(check.typeId);
  const timing = type.timing?.(check, subject.session, now) ?? TIMELESS;
  if (passesCheck(check, subject, now)) return { isPassing: true, ...timing };
  return { isPassing: false, ...timing, failure: type.rule.failure(check, subject, now) };
}

export type Judge = (check: PostureCheckSpec) => Verdict;

/** Evaluates each check once, however many policies and services it guards. */
export function judgeFor(subject: PostureSubject, now: number): Judge {
  const verdicts = new Map<string, Verdict>();
  return (check) => {
    const verdict = verdicts.get(check.id) ?? evaluateCheck(check, subject, now);
    verdicts.set(check.id, verdict);
    return verdict;
  };
}

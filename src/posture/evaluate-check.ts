import { domainRule, macRule, osRule } from './device-rules.js';
import { mfaRule, mfaTiming } from './mfa-rule.js';
import { processMultiRule, processRule } from './process-rules.js';
import type { PostureCheckTypeId } from './posture-check-types.js';
import type { PostureSubject } from './posture-data.js';
import type { CheckRule, PostureCheckSpec, Timing, Verdict } from './verdict.js';

const RULES: { readonly [T in PostureCheckTypeId]: CheckRule<T> } = {
  OS: osRule,
  DOMAIN: domainRule,
  MAC: macRule,
  PROCESS: processRule,
  PROCESS_MULTI: processMultiRule,
  MFA: mfaRule,
};

/** Only MFA ages: a report of a device counts until it is replaced. */
const TIMELESS: Timing = { timeout: -1, timeoutRemaining: -1 };

/** Holds one check against what is known of a device at an instant; nothing known fails. */
export function evaluateCheck(
  check: PostureCheckSpec,
  subject: PostureSubject,
  now: number,
): Verdict {
  const rule: CheckRule = RULES[check.typeId];
  const timing = check.typeId === 'MFA' ? mfaTiming(check, subject.session, now) : TIMELESS;
  if (rule.passes(check, subject, now)) return { isPassing: true, ...timing };
  return { isPassing: false, ...timing, failure: rule.failure(check, subject, now) };
}

export type Judge = (check: PostureCheckSpec) => Verdict;

/** Evaluates each check once, however many policies and services it guards. */
export function judgeFor(subject: PostureSubject, now: number): Judge {
  const known = new Map<string, Verdict>();
  return (check) => {
    const found = known.get(check.id) ?? evaluateCheck(check, subject, now);
    known.set(check.id, found);
    return found;
  };
}

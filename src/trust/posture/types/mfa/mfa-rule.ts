import { gte } from 'semver';
import { parseStrictVersion } from '../../satisfies-range.js';
import type { Timing } from '../posture-type.js';
import { isMfaCheck, type MfaCheck } from './mfa-check.js';
import type { ClientSdk, SessionPosture } from '../../../../data/rows/posture/index.js';

/** How long after an event on the device MFA may be passed again before the check fails. */
export const PROMPT_GRACE_SECONDS = 300;

const NO_TIMEOUT = -1;

/** The first release that reads how much time is left. */
const FIRST_WITH_TIMEOUTS = '0.25.0';

/** Clients with an unknown SDK can not be asked either. */
function isLegacy(sdk: ClientSdk | undefined): boolean {
  if (sdk?.type !== 'ziti-sdk-c') return true;
  const version = parseStrictVersion(sdk.version ?? '');
  return version === undefined || !gte(version, FIRST_WITH_TIMEOUTS);
}

/** When MFA stops to count; for ever without a timeout. A timeout of 0 is over at once. */
function timesOutAt({ timeoutSeconds }: MfaCheck, passedMfaAt: number): number {
  const seconds = timeoutSeconds ?? NO_TIMEOUT;
  return seconds < 0 ? Infinity : passedMfaAt + seconds * 1000;
}

/** The instant of the timeout itself still counts: MFA must not be older than that. */
export function hasTimedOut(check: MfaCheck, session: SessionPosture, now: number): boolean {
  const { passedMfaAt, timedOutChecks } = session;
  if (passedMfaAt === undefined) return false;
  return timedOutChecks.includes(check.id) || now > timesOutAt(check, passedMfaAt);
}

type Event = 'wokenAt' | 'unlockedAt';

export const promptsOn = (check: MfaCheck, event: Event): boolean =>
  (event === 'wokenAt' ? check.promptOnWake : check.promptOnUnlock) ?? false;

/** The last such event, if the check asks for MFA after it. */
const promptAt = (check: MfaCheck, session: SessionPosture, event: Event): number | undefined =>
  promptsOn(check, event) ? session[event] : undefined;

/** When the grace after an event ends, at which the check fails; MFA passed after it answers it. */
function graceEndsAt(check: MfaCheck, session: SessionPosture, event: Event): number {
  const at = promptAt(check, session, event);
  const isAnswered = at === undefined || at < (session.passedMfaAt ?? -Infinity);
  return isAnswered ? Infinity : at + PROMPT_GRACE_SECONDS * 1000;
}

const earliestGraceEnd = (check: MfaCheck, session: SessionPosture): number =>
  Math.min(graceEndsAt(check, session, 'wokenAt'), graceEndsAt(check, session, 'unlockedAt'));

/** The first instant at which the check fails if no event follows. */
function failsFrom(check: MfaCheck, session: SessionPosture): number {
  const { passedMfaAt, timedOutChecks } = session;
  if (passedMfaAt === undefined || timedOutChecks.includes(check.id)) return -Infinity;
  return Math.min(timesOutAt(check, passedMfaAt) + 1, earliestGraceEnd(check, session));
}

export const reportedTimeout = ({ timeoutSeconds }: MfaCheck): number =>
  timeoutSeconds && timeoutSeconds > 0 ? timeoutSeconds : NO_TIMEOUT;

/** The time left, as clients read it; it does not depend on the verdict. */
export function remainingTime(
  check: MfaCheck,
  session: SessionPosture,
  now: number,
): Pick<Timing, 'timeoutRemaining' | 'timeoutAt'> {
  const seconds = check.timeoutSeconds ?? NO_TIMEOUT;
  const isSpared = check.ignoreLegacyEndpoints === true && isLegacy(session.sdkInfo);
  if (seconds < 0 || isSpared) return { timeoutRemaining: NO_TIMEOUT };
  const { passedMfaAt, timedOutChecks } = session;
  if (passedMfaAt === undefined || timedOutChecks.includes(check.id))
    return { timeoutRemaining: 0 };
  const timeoutAt = Math.min(timesOutAt(check, passedMfaAt), earliestGraceEnd(check, session));
  // Clocks of controllers differ: MFA may have been passed a moment from now.
  const left = Math.min(Math.max(0, timeoutAt - now), seconds * 1000);
  return { timeoutRemaining: Math.ceil(left / 1000), timeoutAt };
}

export function mfaTiming(check: MfaCheck, session: SessionPosture, now: number): Timing {
  const until = failsFrom(check, session);
  const prompts = [promptAt(check, session, 'wokenAt'), promptAt(check, session, 'unlockedAt')];
  const lastPromptAt = Math.max(...prompts.map((at) => at ?? -Infinity));
  return {
    timeout: reportedTimeout(check),
    ...remainingTime(check, session, now),
    ...(now < until && until !== Infinity && { nextChangeAt: until }),
    ...(lastPromptAt !== -Infinity && { lastPromptAt }),
  };
}

/** Whether the check does not ask for MFA after such an event, or MFA answers it, or its grace lasts. */
export function passesAfter(
  check: MfaCheck,
  session: SessionPosture,
  event: Event,
  now: number,
): boolean {
  if (!promptsOn(check, event)) return true;
  return session.passedMfaAt !== undefined && now < graceEndsAt(check, session, event);
}

export const passesMfa = (check: MfaCheck, session: SessionPosture, now: number): boolean =>
  now < failsFrom(check, session);

/**
 * Remembers which checks have timed out by now, so that they stay failed. To be called when a
 * verdict changes by passing of time, and with the checks as they were before one is edited.
 * Gives the session itself when there is nothing new.
 */
export function noteTimeouts(
  session: SessionPosture,
  checks: Iterable<MfaCheck>,
  now: number,
): SessionPosture {
  const noted = new Set(session.timedOutChecks);
  for (const check of checks) {
    if (isMfaCheck(check) && hasTimedOut(check, session, now)) noted.add(check.id);
  }
  if (noted.size === session.timedOutChecks.length) return session;
  return { ...session, timedOutChecks: [...noted].sort() };
}

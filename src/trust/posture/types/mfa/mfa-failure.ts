import { attribute, described, int, timeText } from '../../../../kernel/declare/attribute.js';
import { rfc3339 } from '../../normal-form.js';
import type { ComparedValues } from '../posture-type.js';
import type { MfaCheck } from './mfa-check.js';
import { hasTimedOut, passesAfter, promptsOn, remainingTime, reportedTimeout } from './mfa-rule.js';
import type { SessionPosture } from '../../../../data/rows/posture/index.js';

interface MfaValues {
  readonly passedMfa: boolean;
  readonly timedOut: boolean;
  readonly passedOnWake: boolean;
  readonly passedOnUnlock: boolean;
}

/** Instants are RFC 3339 texts, null when it did not happen. */
@described('What a check for the second factor looked at.')
export class MfaCriteria {
  @attribute(timeText(), { description: 'When the second factor was given last.', nullable: true })
  readonly passedMfaAt!: string | null;

  @attribute(timeText(), { description: 'When the device woke up last.', nullable: true })
  readonly wokenAt!: string | null;

  @attribute(timeText(), { description: 'When the device was unlocked last.', nullable: true })
  readonly unlockedAt!: string | null;

  @attribute(int(), { description: 'Seconds that a pass lasts; -1: no end.' })
  readonly timeoutSeconds!: number;

  @attribute(int(), { description: 'Seconds left; -1: no end.' })
  readonly timeoutRemainingSeconds!: number;
}

export interface MfaFailure extends ComparedValues<MfaValues, MfaValues> {
  readonly criteria: MfaCriteria;
}

export const mfaFailure = (check: MfaCheck, session: SessionPosture, now: number): MfaFailure => ({
  actualValue: {
    passedMfa: session.passedMfaAt !== undefined,
    timedOut: hasTimedOut(check, session, now),
    passedOnWake: passesAfter(check, session, 'wokenAt', now),
    passedOnUnlock: passesAfter(check, session, 'unlockedAt', now),
  },
  expectedValue: {
    passedMfa: true,
    timedOut: false,
    passedOnWake: promptsOn(check, 'wokenAt'),
    passedOnUnlock: promptsOn(check, 'unlockedAt'),
  },
  criteria: {
    passedMfaAt: rfc3339(session.passedMfaAt),
    wokenAt: rfc3339(session.wokenAt),
    unlockedAt: rfc3339(session.unlockedAt),
    timeoutSeconds: reportedTimeout(check),
    timeoutRemainingSeconds: remainingTime(check, session, now).timeoutRemaining,
  },
});

import {
  attribute,
  bool,
  described,
  reference,
  timeText,
} from '../../../../kernel/declare/attribute.js';
import { rfc3339 } from '../../normal-form.js';
import type { SessionView } from '../posture-type.js';
import type { MfaCheck } from './mfa-check.js';
import { passesAfter } from './mfa-rule.js';

/** The view that administrators have of the second factor in each API session. */

@described('The second factor in an API session.')
class PostureMfa {
  @attribute(reference('ApiSession', { onDelete: 'keep' }), {
    description: 'Id of the API session.',
  })
  apiSessionId!: string;

  @attribute(bool(), { description: 'Whether it was given.' })
  passedMfa!: boolean;

  @attribute(timeText(), { description: 'When it was given last.', nullable: true })
  passedAt!: string | null;

  @attribute(bool(), { description: 'Whether it counts after the device woke up last.' })
  passedOnWake!: boolean;

  @attribute(bool(), { description: 'Whether it counts after the device was unlocked last.' })
  passedOnUnlock!: boolean;
}

@described('What happened on a device.')
class PostureEndpointState {
  @attribute(timeText(), { description: 'When it woke up last.', nullable: true })
  wokenAt!: string | null;

  @attribute(timeText(), { description: 'When it was unlocked last.', nullable: true })
  unlockedAt!: string | null;
}

/** Stands for a check that asks for MFA after every event on the device. */
const ASKS_AFTER_ALL: MfaCheck = {
  id: '',
  typeId: 'MFA',
  promptOnWake: true,
  promptOnUnlock: true,
};

export const mfaSessionView: SessionView = {
  members: {
    mfa: { shape: PostureMfa, description: 'The second factor.' },
    endpointState: { shape: PostureEndpointState, description: 'What happened on the device.' },
  },
  values: (apiSessionId, session, now) => ({
    mfa: {
      apiSessionId,
      passedMfa: session.passedMfaAt !== undefined,
      passedAt: rfc3339(session.passedMfaAt),
      passedOnWake: passesAfter(ASKS_AFTER_ALL, session, 'wokenAt', now),
      passedOnUnlock: passesAfter(ASKS_AFTER_ALL, session, 'unlockedAt', now),
    },
    endpointState: {
      wokenAt: rfc3339(session.wokenAt),
      unlockedAt: rfc3339(session.unlockedAt),
    },
  }),
};

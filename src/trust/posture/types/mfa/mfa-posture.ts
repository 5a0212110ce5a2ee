import { bool, object, type AttributeDeclaration } from '../../../../kernel/declare/attribute.js';
import { osTypes } from '../../operating-system.js';
import { definePosture } from '../posture-type.js';
import { endpointStateResponse } from './endpoint-state.js';
import { mfaFields } from './mfa-check.js';
import { MfaCriteria, mfaFailure } from './mfa-failure.js';
import { mfaTiming, passesMfa } from './mfa-rule.js';
import { mfaSessionView } from './session-view.js';
import type { SessionPosture } from '../../../../data/rows/posture/index.js';

const prompt = (event: string): AttributeDeclaration => ({
  type: bool(),
  description: `Of MFA: has to be given again after the device ${event}.`,
  nullable: true,
  omitEmpty: true,
});

interface MfaSubject {
  readonly session: SessionPosture;
}

/** The second factor was given in the API session, not too long ago and after the last event. */
export const mfaPosture = definePosture({
  id: 'MFA',
  meaning: 'A second factor.',
  answeredOn: osTypes,
  fields: mfaFields,
  response: endpointStateResponse,
  rule: {
    passes: (check, { session }: MfaSubject, now) => passesMfa(check, session, now),
    failure: (check, { session }, now) => mfaFailure(check, session, now),
  },
  timing: mfaTiming,
  failureMembers: {
    criteria: { type: object(() => MfaCriteria), description: 'What was looked at' },
  },
  query: {
    members: { promptOnWake: prompt('woke up'), promptOnUnlock: prompt('was unlocked') },
    values: ({ promptOnWake, promptOnUnlock }) => ({
      promptOnWake: promptOnWake ?? false,
      promptOnUnlock: promptOnUnlock ?? false,
    }),
  },
  sessionView: mfaSessionView,
});

import { booleanAt, integerAt } from '../../../base/values.js';
import { bool, int, object, type AttributeDeclaration } from '../../../kernel/declare/attribute.js';
import { osTypes } from '../../operating-system.js';
import type { CheckField, PostureType } from '../posture-type.js';
import { endpointStateResponse } from './endpoint-state.js';
import type { MfaFields } from './mfa-check.js';
import { MfaCriteria, mfaFailure, type MfaFailure } from './mfa-failure.js';
import { mfaTiming, passesMfa } from './mfa-rule.js';
import { mfaSessionView } from './session-view.js';
import type { SessionPosture } from './session-posture.js';

/** Zero and below mean that MFA does not time out. */
function timeoutAt(value: unknown, field: string): number {
  const seconds = integerAt(value, field);
  return seconds > 0 ? seconds : -1;
}

const flag = (description: string): CheckField<boolean> => ({
  type: bool(),
  description,
  read: booleanAt,
  fallback: false,
});

const prompt = (event: string): AttributeDeclaration => ({
  type: bool(),
  description: `Of MFA: has to be given again after the device ${event}.`,
  nullable: true,
  omitEmpty: true,
});

interface MfaQuery {
  readonly promptOnWake?: boolean;
  readonly promptOnUnlock?: boolean;
}

/** The second factor was given in the API session, not too long ago and after the last event. */
export const mfaPosture: PostureType<
  'MFA',
  MfaFields,
  { readonly session: SessionPosture },
  MfaFailure,
  MfaQuery,
  typeof endpointStateResponse
> = {
  id: 'MFA',
  meaning: 'A second factor.',
  answeredOn: osTypes,
  fields: {
    timeoutSeconds: {
      type: int(),
      description: 'Seconds that a passed code counts (-1: no end)',
      read: timeoutAt,
      fallback: -1,
    },
    promptOnWake: { ...flag('Ask again after the device wakes'), filter: true },
    promptOnUnlock: { ...flag('Ask again after the device is unlocked'), filter: true },
    ignoreLegacyEndpoints: flag('Spare clients that can not be asked'),
  },
  response: endpointStateResponse,
  rule: {
    passes: (check, { session }, now) => passesMfa(check, session, now),
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
};

import { flagAnswer, type AnswerOf } from '../answer-members.js';
import { defineResponse } from '../posture-type.js';

const members = { woken: flagAnswer('it woke up'), unlocked: flagAnswer('it was unlocked') };

/** Whether the device woke up, and whether it was unlocked. */
export type EndpointEvents = AnswerOf<typeof members>;

/** Events on the device, after which a check can ask for MFA again. */
export const endpointStateResponse = defineResponse({
  typeId: 'ENDPOINT_STATE',
  members,
  documentedMembers: ['unlocked', 'woken'],
  // An event that is not reported leaves the last one of its kind as it is.
  applyToSession: (session, { woken, unlocked }, now) =>
    woken || unlocked
      ? { ...session, ...(woken && { wokenAt: now }), ...(unlocked && { unlockedAt: now }) }
      : session,
});

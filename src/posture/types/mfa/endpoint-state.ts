import { flagAnswer } from '../answer-members.js';
import type { PostureResponseType } from '../posture-type.js';

type EndpointState = {
  readonly woken: boolean;
  readonly unlocked: boolean;
};

/** Events on the device, after which a check can ask for MFA again. */
export const endpointStateResponse: PostureResponseType<'ENDPOINT_STATE', EndpointState, never> = {
  typeId: 'ENDPOINT_STATE',
  members: { woken: flagAnswer('it woke up'), unlocked: flagAnswer('it was unlocked') },
  documentedMembers: ['unlocked', 'woken'],
  // An event that is not reported leaves the last one of its kind as it is.
  applyToSession: (session, { woken, unlocked }, now) =>
    woken || unlocked
      ? { ...session, ...(woken && { wokenAt: now }), ...(unlocked && { unlockedAt: now }) }
      : session,
};

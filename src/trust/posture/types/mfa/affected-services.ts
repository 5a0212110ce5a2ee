import { attribute, described, id, int, text } from '../../../../kernel/declare/attribute.js';
import type { PostureResponse } from '../../read-posture-responses.js';
import type { EndpointEvents } from './endpoint-state.js';
import { isMfaCheck, type MfaCheck } from './mfa-check.js';
import { PROMPT_GRACE_SECONDS } from './mfa-rule.js';
import type { SessionPosture } from '../../../../data/rows/posture/index.js';

/** A service that the caller may use, with the checks of the policies that let it in. */
export interface GuardedService {
  readonly id: string;
  readonly name: string;
  readonly checks: readonly MfaCheck[];
}

/** A service for which MFA has to be passed within the grace (schema `postureResponseService`). */
@described('A service that needs the second factor again soon.')
export class PostureAffectedService {
  @attribute(id(), { description: 'Id of the service.', restName: 'id' })
  readonly serviceId!: string;

  @attribute(text(), { description: 'Its name.', restName: 'name' })
  readonly serviceName!: string;

  @attribute(text<'MFA'>(), { description: 'The kind of check: `MFA`.' })
  readonly postureQueryType!: 'MFA';

  /** The shortest of its checks. */
  @attribute(int(), { description: 'Seconds that the second factor is valid; -1: no end.' })
  readonly timeout!: number;

  @attribute(int(), { description: 'Seconds left.' })
  readonly timeoutRemaining!: number;
}

/** The events on the device that responses which came together report. */
export function endpointEvents(responses: readonly PostureResponse[]): EndpointEvents {
  const states = responses.filter((response) => response.typeId === 'ENDPOINT_STATE');
  return {
    woken: states.some(({ woken }) => woken),
    unlocked: states.some(({ unlocked }) => unlocked),
  };
}

/** Infinity for a check without timeout. */
const secondsOf = ({ timeoutSeconds }: MfaCheck): number =>
  timeoutSeconds && timeoutSeconds > 0 ? timeoutSeconds : Infinity;

/** Whether the check asks for MFA again after one of the events. */
export const asksAfter = (check: MfaCheck, { woken, unlocked }: EndpointEvents): boolean =>
  isMfaCheck(check) &&
  ((woken && check.promptOnWake === true) || (unlocked && check.promptOnUnlock === true));

/**
 * The services whose time the events cut short to the grace: those that had more of it left. None
 * unless MFA was passed, since otherwise they fail already.
 */
export function affectedServices(
  services: readonly GuardedService[],
  events: EndpointEvents,
  { passedMfaAt, timedOutChecks }: SessionPosture,
  now: number,
): PostureAffectedService[] {
  if (passedMfaAt === undefined) return [];
  const isCutShort = (check: MfaCheck): boolean =>
    asksAfter(check, events) &&
    !timedOutChecks.includes(check.id) &&
    passedMfaAt + secondsOf(check) * 1000 - now > PROMPT_GRACE_SECONDS * 1000;
  return services.flatMap(({ id, name, checks }) => {
    const cutShort = checks.filter(isCutShort);
    if (cutShort.length === 0) return [];
    const shortest = Math.min(...cutShort.map(secondsOf));
    return {
      serviceId: id,
      serviceName: name,
      postureQueryType: 'MFA',
      timeout: shortest === Infinity ? -1 : shortest,
      timeoutRemaining: PROMPT_GRACE_SECONDS,
    };
  });
}

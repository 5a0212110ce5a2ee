import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import type { AccessModel } from '../model/access-model.js';
import { grantingPaths } from './granting-paths.js';
import type { GrantingPath } from './granting-paths.js';
import { nearestMisses } from './nearest-misses.js';
import type { NearestMisses } from './nearest-misses.js';
import { SharedRouters } from './shared-routers.js';
import type { RouterFacts, RouterSides } from './shared-routers.js';

/** Facts about access that are not in the policies. */
export interface AccessFacts extends RouterFacts {
  readonly isIdentityDisabled: (identityId: string) => boolean;
  readonly hasTerminators: (serviceId: string) => boolean;
  /** The ids of the identity's live API sessions; empty when the analysis ignores posture. */
  readonly apiSessionsOf: (identityId: string) => readonly string[];
  readonly isPassing: (apiSessionId: string, postureCheckId: string) => boolean;
}

/** A reason why a session for the service would fail. */
export type Obstacle =
  | 'NO_POLICY'
  /** The identity has live API sessions, and none passes all checks of a granting policy. */
  | 'POSTURE'
  | 'NO_COMMON_ROUTER'
  /** No common router is online and enabled. */
  | 'NONE_ONLINE'
  | 'IDENTITY_DISABLED'
  /** No terminator hosts the service; this prevents dialing only. */
  | 'NO_TERMINATORS';

export interface AccessExplanation {
  /** Whether policies grant access; posture, routers and presence do not count. */
  readonly allowed: boolean;
  readonly paths: readonly GrantingPath[];
  /** Empty unless the options ask for routers. */
  readonly routers: RouterSides;
  /** In the order of `OBSTACLES`; empty when the service is usable. */
  readonly obstacles: readonly Obstacle[];
  readonly nearestMisses: NearestMisses;
}

export interface ExplainOptions {
  /** How many nearest misses to list. */
  readonly misses?: number;
  /** Whether to list the routers, the slowest part. The obstacles take them into account anyway. */
  readonly hasRouters?: boolean;
}

/** Gives undefined when the identity or the service does not exist. */
export function explainAccess(
  model: AccessModel,
  identityId: string,
  serviceId: string,
  type: ServicePolicyType,
  facts: AccessFacts,
  { misses = 10, hasRouters = true }: ExplainOptions = {},
): AccessExplanation | undefined {
  const identity = model.entity('identity', identityId);
  const service = model.entity('service', serviceId);
  if (!identity || !service) return undefined;
  const paths = grantingPaths(model, identityId, serviceId, type);
  const routers = new SharedRouters(model, identity, service, facts);
  const isPresent: Readonly<Record<Obstacle, () => boolean>> = {
    NO_POLICY: () => paths.length === 0,
    POSTURE: () => paths.length > 0 && failsPosture(paths, identityId, facts),
    NO_COMMON_ROUTER: () => routers.isNone,
    NONE_ONLINE: () => !routers.isNone && !routers.hasOneUp,
    IDENTITY_DISABLED: () => facts.isIdentityDisabled(identityId),
    NO_TERMINATORS: () => type === 'Dial' && !facts.hasTerminators(serviceId),
  };
  return {
    allowed: paths.length > 0,
    paths,
    routers: hasRouters ? routers.sides() : NO_ROUTERS,
    obstacles: OBSTACLES.filter((obstacle) => isPresent[obstacle]()),
    nearestMisses: nearestMisses(model, identity, service, type, misses),
  };
}

const OBSTACLES = [
  'NO_POLICY',
  'POSTURE',
  'NO_COMMON_ROUTER',
  'NONE_ONLINE',
  'IDENTITY_DISABLED',
  'NO_TERMINATORS',
] as const satisfies readonly Obstacle[];

const NO_ROUTERS: RouterSides = { identitySide: [], serviceSide: [], common: [] };

/** Without a session there is no posture to evaluate. */
function failsPosture(
  paths: readonly GrantingPath[],
  identityId: string,
  { apiSessionsOf, isPassing }: AccessFacts,
): boolean {
  const sessions = apiSessionsOf(identityId);
  const passes = (session: string): boolean =>
    paths.some(({ postureCheckIds }) => postureCheckIds.every((id) => isPassing(session, id)));
  return sessions.length > 0 && !sessions.some(passes);
}

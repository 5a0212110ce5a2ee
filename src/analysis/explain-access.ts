import type { ServicePolicyType } from '../policy/index.js';
import type { AccessModel } from './access-model.js';
import { grantingPaths } from './granting-paths.js';
import type { GrantingPath } from './granting-paths.js';
import { nearestMisses } from './nearest-misses.js';
import type { NearestMisses } from './nearest-misses.js';
import { SharedRouters } from './shared-routers.js';
import type { RouterFacts, RouterSides } from './shared-routers.js';

/** What the policies do not say. */
export interface AccessFacts extends RouterFacts {
  readonly isIdentityDisabled: (identityId: string) => boolean;
  readonly hasTerminators: (serviceId: string) => boolean;
  /** The identity's live API sessions by id; none when posture is left out. */
  readonly apiSessionsOf: (identityId: string) => readonly string[];
  readonly isPassing: (apiSessionId: string, postureCheckId: string) => boolean;
}

/** Why a session for the service would fail. */
export type Obstacle =
  | 'NO_POLICY'
  /** There are live API sessions, and in none of them all checks of a granting policy pass. */
  | 'POSTURE'
  | 'NO_COMMON_ROUTER'
  /** No common router is online and enabled. */
  | 'NONE_ONLINE'
  | 'IDENTITY_DISABLED'
  /** Nobody hosts the service; an obstacle to dialing alone. */
  | 'NO_TERMINATORS';

export interface AccessExplanation {
  /** Whether policies grant it, which posture, routers and presence have no part in. */
  readonly allowed: boolean;
  readonly paths: readonly GrantingPath[];
  /** None unless they were asked for. */
  readonly routers: RouterSides;
  /** None when it is usable; in the order of their list. */
  readonly obstacles: readonly Obstacle[];
  readonly nearestMisses: NearestMisses;
}

export interface ExplainOptions {
  /** How many nearest misses to list. */
  readonly misses?: number;
  /** Whether to list the routers, which takes longest; the obstacles know of them all the same. */
  readonly hasRouters?: boolean;
}

/** Undefined when there is no such identity or no such service. */
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
  const isInTheWay: Readonly<Record<Obstacle, () => boolean>> = {
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
    obstacles: OBSTACLES.filter((obstacle) => isInTheWay[obstacle]()),
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

/** Without a session there is no posture to judge. */
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

import {
  attribute,
  bool,
  described,
  id,
  list,
  object,
  objects,
  oneOf,
  text,
  time,
  type ValueOf,
} from '../../../kernel/declare/attribute.js';
import {
  isPending,
  type EntityValue,
  type ServicePolicyType,
} from '../../../kernel/policy/index.js';
import type { AccessModel } from '../model/access-model.js';
import { AccessPath, grantingPaths, type GrantingPolicy } from './granting-paths.js';
import { NearestMisses, nearestMisses, type FoundMisses } from './nearest-misses.js';
import {
  AccessRouters,
  SharedRouters,
  type RouterFacts,
  type RouterSides,
} from './shared-routers.js';

/** Facts about access that are not in the policies. */
export interface AccessFacts extends RouterFacts {
  readonly isIdentityDisabled: (identityId: string) => boolean;
  readonly hasTerminators: (serviceId: string) => boolean;
  /** The ids of the identity's live API sessions; empty when the analysis ignores posture. */
  readonly apiSessionsOf: (identityId: string) => readonly string[];
  readonly isPassing: (apiSessionId: string, postureCheckId: string) => boolean;
}

const OBSTACLE = oneOf(
  'AccessObstacle',
  {
    NO_POLICY: 'No service policy grants it.',
    POSTURE: 'A posture check fails on every path that grants it.',
    NO_COMMON_ROUTER: 'The identity and the service have no edge router in common.',
    NONE_ONLINE: 'No common edge router is online.',
    IDENTITY_DISABLED: 'The identity is disabled.',
    IDENTITY_PENDING: 'The identity waits for its approval, and no policy of `#pending` grants it.',
    NO_TERMINATORS: 'No terminator hosts the service.',
  },
  'A reason why a session for a service would fail.',
);

export type Obstacle = ValueOf<typeof OBSTACLE>;

@described('A role assignment by which a policy selects the identity.')
export class AccessAssignment {
  @attribute(id(), { description: 'Id of the role assignment.', restName: 'id' })
  readonly roleAssignmentId!: string;

  @attribute(text(), { description: 'The role attribute that the identity has by it alone.' })
  readonly roleAttribute!: string;

  @attribute(text(), { description: 'Its source.' })
  readonly source!: string;

  @attribute(time(), { description: 'When it ends; null: never.', nullable: true })
  readonly activeUntil!: Date | null;

  @attribute(text(), { description: 'The reason for it.', nullable: true })
  readonly reason!: string | null;

  @attribute(id(), { description: 'Id of the identity that asked for it.', nullable: true })
  readonly requestedById!: string | null;

  @attribute(id(), { description: 'Id of the identity that approved it.', nullable: true })
  readonly approvedById!: string | null;
}

@described('Why an identity reaches a service, or does not.')
export class Access {
  @attribute(bool(), {
    description: 'Whether policies grant it; obstacles may still prevent its use.',
  })
  readonly allowed!: boolean;

  /** In the order of their declaration. */
  @attribute(list(OBSTACLE), {
    description:
      'The reasons why the service is not usable, for other times from policies alone; empty if it is usable.',
  })
  readonly obstacles!: readonly Obstacle[];

  @attribute(object(() => AccessRouters), {
    description: 'The routers between identity and service.',
  })
  readonly routers!: AccessRouters;

  @attribute(objects(() => AccessPath), { description: 'Every policy that grants it.' })
  readonly paths!: readonly AccessPath[];

  /** In byte order of the attributes, then of the sources. */
  @attribute(objects(() => AccessAssignment), {
    description:
      'The role assignments that give the identity attributes by which these policies select it; empty for the past.',
  })
  readonly assignments!: readonly AccessAssignment[];

  @attribute(object(() => NearestMisses), {
    description: 'The policies nearest to granting it.',
  })
  readonly nearestMisses!: NearestMisses;
}

/** The answer before names and the results of posture checks are known. */
export interface AccessExplanation extends Omit<
  Access,
  'routers' | 'paths' | 'assignments' | 'nearestMisses'
> {
  /** The attributes of the identity that only role assignments give it and that these policies match. */
  readonly assignedAttributes: readonly string[];
  /** Empty unless the options ask for routers. */
  readonly routers: RouterSides;
  readonly paths: readonly GrantingPolicy[];
  readonly nearestMisses: FoundMisses;
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
    // The identity has live API sessions, and none passes all checks of a granting policy.
    POSTURE: () => paths.length > 0 && failsPosture(paths, identityId, facts),
    NO_COMMON_ROUTER: () => routers.isNone,
    // No common router is online and enabled.
    NONE_ONLINE: () => !routers.isNone && !routers.hasOneUp,
    IDENTITY_DISABLED: () => facts.isIdentityDisabled(identityId),
    IDENTITY_PENDING: () => isPending(identity) && paths.length === 0,
    // This prevents dialing only.
    NO_TERMINATORS: () => type === 'Dial' && !facts.hasTerminators(serviceId),
  };
  return {
    allowed: paths.length > 0,
    paths,
    assignedAttributes: assignedIn(identity, paths),
    routers: hasRouters ? routers.sides() : NO_ROUTERS,
    obstacles: OBSTACLE.values.filter((obstacle) => isPresent[obstacle]()),
    nearestMisses: nearestMisses(model, identity, service, type, misses),
  };
}

function assignedIn(
  { assigned = [] }: EntityValue,
  paths: readonly GrantingPolicy[],
): readonly string[] {
  const matched = new Set(
    paths.flatMap(({ identityRoles }) => identityRoles.map(({ role }) => role)),
  );
  return assigned.filter((name) => matched.has(`#${name}`));
}

const NO_ROUTERS: RouterSides = { identitySide: [], serviceSide: [], common: [] };

/** Without a session there is no posture to evaluate. */
function failsPosture(
  paths: readonly GrantingPolicy[],
  identityId: string,
  { apiSessionsOf, isPassing }: AccessFacts,
): boolean {
  const sessions = apiSessionsOf(identityId);
  const passes = (session: string): boolean =>
    paths.some(({ postureCheckIds }) => postureCheckIds.every((id) => isPassing(session, id)));
  return sessions.length > 0 && !sessions.some(passes);
}

import type { EntityKind, PolicyKind, Side } from '../../../kernel/policy/index.js';
import type { AccessModel } from '../model/access-model.js';
import { ACCESS_PAIR } from '../pairs/access-pair.js';
import type { AccessPair } from '../pairs/access-pair.js';
import { changesBetween } from '../model/changed-rows.js';
import { grantingPaths } from '../reasons/granting-paths.js';
import type { GrantingPolicy } from '../reasons/granting-paths.js';
import type { PairList, PairShape } from '../pairs/pair-list.js';
import {
  ACCESS,
  ACCESS_OF_ANY_TYPE,
  IDENTITY_ROUTERS,
  SERVICE_ROUTERS,
  SHARED_ROUTER,
} from '../pairs/relation.js';
import { relationDiff } from './relation-diff.js';
import type { PairChanges } from './relation-diff.js';
import type { Sliced } from '../../../base/slices.js';
import { statesAfter } from '../model/two-states.js';
import type { TwoStates } from '../model/two-states.js';
import type { WhatIfChange } from '../model/what-if-change.js';

export interface IdentityRouter {
  readonly identityId: string;
  readonly routerId: string;
}

export interface ServiceRouter {
  readonly serviceId: string;
  readonly routerId: string;
}

export interface IdentityService {
  readonly identityId: string;
  readonly serviceId: string;
}

/** A claim about all pairs, with the first pair that refutes it. */
export interface Proof {
  readonly holds: boolean;
  readonly counterexample: AccessPair | null;
}

/** The policies that grant a pair in both states. */
export interface Reasons {
  readonly before: readonly GrantingPolicy[];
  readonly after: readonly GrantingPolicy[];
}

/** The differences between two states of the network. */
export interface AccessChanges {
  readonly before: AccessModel;
  readonly after: AccessModel;
  readonly gained: PairList<AccessPair>;
  readonly lost: PairList<AccessPair>;
  readonly provesNoNewAccess: Proof;
  readonly provesNoLostAccess: Proof;
  readonly reasons: (pair: AccessPair) => Reasons;
}

export interface Simulation extends AccessChanges {
  readonly identityRouters: PairChanges<IdentityRouter>;
  readonly serviceRouters: PairChanges<ServiceRouter>;
  /** Pairs with access in the later state that gain or lose their shared routers. */
  readonly sharedRouters: PairChanges<IdentityService>;
}

/**
 * Gives the effect of changes without changing the model.
 * @throws ApiError NOT_FOUND on an update of an entity that does not exist
 */
export function* simulate(model: AccessModel, changes: Iterable<WhatIfChange>): Sliced<Simulation> {
  const states = yield* statesAfter(model, changes);
  return {
    ...(yield* accessChanges(states)),
    identityRouters: yield* relationDiff(states, {
      relation: IDENTITY_ROUTERS,
      shape: IDENTITY_ROUTER,
      suspects: policiesAround(states, 'edgeRouterPolicy', 'edgeRouters', 'edgeRouter'),
    }),
    serviceRouters: yield* relationDiff(states, {
      relation: SERVICE_ROUTERS,
      shape: SERVICE_ROUTER,
      suspects: policiesAround(states, 'serviceEdgeRouterPolicy', 'edgeRouters', 'edgeRouter'),
    }),
    sharedRouters: yield* relationDiff(states, {
      relation: SHARED_ROUTER,
      shape: IDENTITY_SERVICE,
      suspects: behindServices(states),
      among: ACCESS_OF_ANY_TYPE,
    }),
  };
}

/** Gives the effect on access without routers, which is cheaper. */
export function* simulateAccess(
  model: AccessModel,
  changes: Iterable<WhatIfChange>,
): Sliced<AccessChanges> {
  return yield* accessChanges(yield* statesAfter(model, changes));
}

/** Gives the differences between models, whose ordinals may differ. Only the candidates may differ. */
export function* accessDiff(
  from: AccessModel,
  to: AccessModel,
  candidates?: (kind: EntityKind | PolicyKind) => Iterable<string>,
): Sliced<Simulation> {
  return yield* simulate(from, yield* changesBetween(from, to, candidates));
}

function* accessChanges(states: TwoStates): Sliced<AccessChanges> {
  const { before, after } = states;
  const { gained, lost } = yield* relationDiff(states, {
    relation: ACCESS,
    shape: ACCESS_PAIR,
    suspects: policiesAround(states, 'servicePolicy', 'services', 'service'),
  });
  return {
    before,
    after,
    gained,
    lost,
    provesNoNewAccess: refutedBy(gained),
    provesNoLostAccess: refutedBy(lost),
    reasons: ({ identityId, serviceId, type }) => ({
      before: grantingPaths(before, identityId, serviceId, type),
      after: grantingPaths(after, identityId, serviceId, type),
    }),
  };
}

/** Gives the policies whose side contains a changed entity in either state. */
export function policiesAround(
  { before, after, changed }: TwoStates,
  kind: PolicyKind,
  side: Side,
  entities: EntityKind,
): Set<string> {
  const policyIds = new Set<string>();
  for (const id of changed.ids(entities)) {
    for (const model of [before, after]) {
      const entity = model.entity(entities, id);
      if (!entity) continue;
      for (const policy of model.policiesWith(kind, side, entity)) policyIds.add(policy.id);
    }
  }
  return policyIds;
}

/** Gives all edge router policies if something between routers and services changed, else none. */
function behindServices({ before, changed }: TwoStates): string[] {
  if (!changed.has('service', 'edgeRouter', 'serviceEdgeRouterPolicy')) return [];
  return [...before.policies('edgeRouterPolicy')].map(({ id }) => id);
}

function refutedBy(pairs: PairList<AccessPair>): Proof {
  const counterexample = pairs.first ?? null;
  return { holds: counterexample === null, counterexample };
}

const IDENTITY_ROUTER: PairShape<IdentityRouter> = {
  make: ({ from, to }) => ({ identityId: from, routerId: to }),
  keyOf: ({ identityId, routerId }) => ({ from: identityId, to: routerId, layer: 0 }),
};

const SERVICE_ROUTER: PairShape<ServiceRouter> = {
  make: ({ from, to }) => ({ serviceId: from, routerId: to }),
  keyOf: ({ serviceId, routerId }) => ({ from: serviceId, to: routerId, layer: 0 }),
};

const IDENTITY_SERVICE: PairShape<IdentityService> = {
  make: ({ from, to }) => ({ identityId: from, serviceId: to }),
  keyOf: ({ identityId, serviceId }) => ({ from: identityId, to: serviceId, layer: 0 }),
};

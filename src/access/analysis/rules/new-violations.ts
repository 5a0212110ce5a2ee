import { Bitset } from '../../../kernel/policy/index.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { membersOf } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { accessOfType, firstOf, joinedWith, RuleSides, violationBy } from './rule-sides.js';
import type { AccessRule, Violation } from './rule-sides.js';
import { smallest } from '../pairs/byte-sorting.js';
import { UnchangedEntityDifferences, Tally } from '../what-if/row-differences.js';
import type { Sliced } from '../../../base/slices.js';
import { TargetSpace } from '../pairs/target-space.js';
import { statesAfter } from '../model/two-states.js';
import type { TwoStates } from '../model/two-states.js';
import type { WhatIfChange } from '../model/what-if-change.js';

type Pair = readonly [identityId: string, serviceId: string];

/**
 * Gives, for each rule that changes violate anew, the first pair that was no violation before, in
 * the order of the rules. It reads only the pairs that the changes touch.
 */
export function* newViolations(
  before: AccessModel,
  changes: Iterable<WhatIfChange>,
  rules: readonly AccessRule[],
): Sliced<Violation[]> {
  const states = yield* statesAfter(before, changes);
  const { after, changed } = states;
  const newlyViolated: Violation[] = [];
  if (!changed.has('identity', 'service', 'servicePolicy')) return newlyViolated;
  const touched = new TouchedPairs(states);
  for (const rule of rules) {
    const sides = { before: new RuleSides(before, rule), after: new RuleSides(after, rule) };
    const pairs = [
      ...touched.ofIdentities(rule, sides),
      ...touched.ofServices(rule, sides),
      ...(yield* touched.ofOthers(rule, sides.after)),
    ];
    newlyViolated.push(...violationBy(rule, pairs));
    yield;
  }
  return newlyViolated;
}

interface BothSides {
  readonly before: RuleSides;
  readonly after: RuleSides;
}

interface TouchedByPolicies {
  readonly policies: ReadonlySet<string>;
  readonly identities: Bitset;
  readonly services: Bitset;
}

/** The pairs that changes may affect: for each group at least the first violation. */
class TouchedPairs {
  private readonly joined = new Map<string, Bitset>();
  private readonly byPolicies = new Map<ServicePolicyType, TouchedByPolicies>();

  constructor(private readonly states: TwoStates) {}

  /** Gives pairs of changed identities. */
  ofIdentities({ type }: AccessRule, { before, after }: BothSides): Pair[] {
    return this.states.changed.ids('identity').flatMap((id): Pair[] => {
      if (!after.hasIdentity(id)) return [];
      const wrong = after.wrongServices(id, this.joinedWith(after.model, 'identity', id, type));
      wrong.andNot(before.wrongServices(id, this.joinedWith(before.model, 'identity', id, type)));
      const serviceId = firstOf(after.model, 'service', wrong);
      return serviceId === undefined ? [] : [[id, serviceId]];
    });
  }

  /** Gives pairs of changed services. */
  ofServices({ type }: AccessRule, { before, after }: BothSides): Pair[] {
    return this.states.changed.ids('service').flatMap((id): Pair[] => {
      if (!after.hasService(id)) return [];
      const wrong = after.wrongIdentities(id, this.joinedWith(after.model, 'service', id, type));
      wrong.andNot(before.wrongIdentities(id, this.joinedWith(before.model, 'service', id, type)));
      const identityId = firstOf(after.model, 'identity', wrong);
      return identityId === undefined ? [] : [[identityId, id]];
    });
  }

  /** Gives pairs of unchanged identities and services that changed policies affect. */
  *ofOthers({ kind, type }: AccessRule, sides: RuleSides): Sliced<Pair[]> {
    const touched = this.touchedByPolicies(type);
    const identities = sides.identities.clone().and(touched.identities);
    const services = sides.services.clone().and(touched.services);
    if (!identities.intersects(identities) || !services.intersects(services)) return [];
    const { before, after } = this.states;
    const space = yield* TargetSpace.of([before, after], 'service', [services]);
    const differences = new UnchangedEntityDifferences(
      this.states,
      { relation: accessOfType(type) },
      space,
      touched.policies,
    );
    const tallies = { gained: new Tally(), lost: new Tally() };
    yield* differences.countAll(after.idsOf('identity', identities), tallies);
    const side = kind === 'MUST_REACH' ? 'lost' : 'gained';
    const [identityId] = smallest(tallies[side].ids, 1);
    if (identityId === undefined) return [];
    for (const place of differences.rowsOf(identityId)[side]) {
      return [[identityId, space.at(place).to]];
    }
    return [];
  }

  private touchedByPolicies(type: ServicePolicyType): TouchedByPolicies {
    const cached = this.byPolicies.get(type);
    if (cached) return cached;
    const policies = new Set<string>();
    const members = { policies, identities: new Bitset(), services: new Bitset() };
    for (const id of this.states.changed.ids('servicePolicy')) {
      for (const model of [this.states.before, this.states.after]) {
        const policy = model.policy('servicePolicy', id);
        if (policy?.type !== type) continue;
        policies.add(id);
        members.identities.or(membersOf(model, 'servicePolicy', [policy], 'identities'));
        members.services.or(membersOf(model, 'servicePolicy', [policy], 'services'));
      }
    }
    this.leaveOut('identity', members.identities);
    this.leaveOut('service', members.services);
    this.byPolicies.set(type, members);
    return members;
  }

  /** Removes entities that changed themselves: other groups cover them. */
  private leaveOut(kind: 'identity' | 'service', members: Bitset): void {
    for (const id of this.states.changed.ids(kind)) {
      for (const model of [this.states.before, this.states.after]) {
        const ordinal = model.ordinalOf(kind, id);
        if (ordinal !== undefined) members.clear(ordinal);
      }
    }
  }

  private joinedWith(
    model: AccessModel,
    kind: 'identity' | 'service',
    id: string,
    type: ServicePolicyType,
  ): Bitset {
    const key = `${model === this.states.before ? 'before' : 'after'} ${kind} ${type} ${id}`;
    const cached = this.joined.get(key);
    if (cached) return cached;
    const joined = joinedWith(model, kind, id, type);
    this.joined.set(key, joined);
    return joined;
  }
}

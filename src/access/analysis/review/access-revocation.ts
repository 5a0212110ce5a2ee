import { byteSorted } from '../../../base/byte-order.js';
import { described } from '../../../kernel/declare/attribute.js';
import { Bitset } from '../../../kernel/policy/index.js';
import type { IndexedPolicy, ServicePolicyType } from '../../../kernel/policy/index.js';
import { TYPES } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { AccessPair, isPairAfter } from '../pairs/access-pair.js';
import type { Sliced } from '../../../base/slices.js';
import { deletion, type WhatIfChange } from '../model/what-if-change.js';
import type { GrantingSide } from '../use/narrowed-side.js';
import { GrantsElsewhere, type Rectangle } from './grants-elsewhere.js';
import { MarkedPairs } from './marked-pairs.js';
import { bestCut, lostBy, removable, type CutProblem, type PossibleCut } from './policy-cut.js';
import { SideRemoval } from './side-removal.js';

@described('A revoked pair that keeps its access after the changes.')
export class RemainingAccess extends AccessPair {
  /** Ids of the policies that can not be edited to take it away. */
  readonly policyIds!: readonly string[];
}

/** The edits of policies that take marked pairs away. */
export interface Revocation {
  /** One for each policy: its deletion, or new role lists. */
  readonly changes: readonly WhatIfChange[];
  /** The number of marked pairs that policies grant. */
  readonly grantedCount: number;
  /** In the order of pairs. */
  readonly remaining: readonly RemainingAccess[];
}

/**
 * Takes marked pairs away by editing each policy that grants one of them, once. Each edit takes the
 * fewest other pairs that no other policy grants, given the edits of the others. A pair that one
 * policy can not be made to lose remains, and is no reason to edit others.
 */
export function* revocation(model: AccessModel, marked: Iterable<AccessPair>): Sliced<Revocation> {
  const pairs = [...marked];
  const changes: WhatIfChange[] = [];
  const remaining: RemainingAccess[] = [];
  let grantedCount = 0;
  for (const type of TYPES) {
    const part = new RevocationOfType(model, type);
    yield* part.run(pairs.filter((pair) => pair.type === type));
    changes.push(...part.changes());
    remaining.push(...part.remaining());
    grantedCount += part.grantedCount;
  }
  return { changes, grantedCount, remaining: remaining.sort(comparePairs) };
}

const comparePairs = (a: AccessPair, b: AccessPair): number => (isPairAfter(a, b) ? 1 : -1);

/** A policy with the marked pairs that it grants. */
interface Granting {
  readonly policy: IndexedPolicy;
  readonly identities: SideRemoval;
  readonly services: SideRemoval;
  readonly marks: MarkedPairs;
}

type Pair = readonly [identity: number, service: number];

/** Later passes see the edits of all policies, and rarely change many. */
const MAX_PASSES = 10;

class RevocationOfType {
  grantedCount = 0;
  private readonly ids = {
    identities: new Map<number, string>(),
    services: new Map<number, string>(),
  };
  private readonly marks = new MarkedPairs();
  private granting: Granting[] = [];
  private cuts = new Map<string, PossibleCut>();
  private grants: GrantsElsewhere;
  /** Marked pairs that a policy keeps. */
  private readonly kept: Pair[] = [];

  constructor(
    private readonly model: AccessModel,
    private readonly type: ServicePolicyType,
  ) {
    this.grants = new GrantsElsewhere(model, type);
  }

  *run(pairs: readonly AccessPair[]): Sliced<void> {
    this.mark(pairs);
    yield* this.findGranting();
    // A pair that remains is a mark less for all policies, which may make other edits impossible.
    for (let isComplete = false; !isComplete;) isComplete = yield* this.cutAll();
  }

  changes(): WhatIfChange[] {
    return [...this.cuts].map(([id, { roles }]) =>
      roles ? { kind: 'servicePolicy', id, update: { roles } } : deletion('servicePolicy', id),
    );
  }

  remaining(): RemainingAccess[] {
    return this.kept.flatMap(([identity, service]) => {
      const identityId = this.ids.identities.get(identity) ?? '';
      const granting = this.grants.granting({ id: identityId, ordinal: identity }, service);
      // An edit for other pairs may have taken it away after all.
      if (granting.length === 0) return [];
      const serviceId = this.ids.services.get(service) ?? '';
      return [{ identityId, serviceId, type: this.type, policyIds: byteSorted(granting) }];
    });
  }

  private mark(pairs: readonly AccessPair[]): void {
    for (const { identityId, serviceId } of pairs) {
      const identity = this.model.ordinalOf('identity', identityId);
      const service = this.model.ordinalOf('service', serviceId);
      if (identity === undefined || service === undefined) continue;
      this.ids.identities.set(identity, identityId);
      this.ids.services.set(service, serviceId);
      this.marks.add(identity, service);
    }
  }

  private *findGranting(): Sliced<void> {
    const byPolicy = new Map<string, Granting>();
    const granted = new MarkedPairs();
    for (const [identity, services] of this.marks.rows) {
      for (const policy of this.grants.policiesOf(
        'identities',
        this.ids.identities.get(identity) ?? '',
      )) {
        const one = byPolicy.get(policy.id) ?? this.grantingOf(policy);
        byPolicy.set(policy.id, one);
        services
          .clone()
          .and(one.services.members)
          .forEach((service) => {
            one.marks.add(identity, service);
            granted.add(identity, service);
          });
      }
      yield;
    }
    for (const services of granted.rows.values()) this.grantedCount += services.popcount();
    this.granting = byteSorted([...byPolicy.keys()]).flatMap((id) => byPolicy.get(id) ?? []);
  }

  private grantingOf(policy: IndexedPolicy): Granting {
    return {
      policy,
      identities: new SideRemoval(this.model, policy, 'identities'),
      services: new SideRemoval(this.model, policy, 'services'),
      marks: new MarkedPairs(),
    };
  }

  /** Gives whether all marks are taken away; else some of them remain from now on. */
  private *cutAll(): Sliced<boolean> {
    this.grants = new GrantsElsewhere(this.model, this.type);
    this.cuts = new Map();
    let lostCount = 0;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      let difference = 0;
      for (const one of this.granting) {
        const step = yield* this.cutOne(one);
        if (step === undefined) return false;
        difference += step;
      }
      lostCount += difference;
      if (lostCount === 0 || difference === 0) break;
    }
    return true;
  }

  /**
   * Edits a policy, or finds a better edit now that others are edited. Gives the difference in lost
   * pairs without a mark; undefined if some of its marks remain.
   */
  private *cutOne(one: Granting): Sliced<number | undefined> {
    const problem = yield* this.problemOf(one);
    if (problem.rows.size === 0) return 0;
    const fixed = fixedPairs(problem);
    const cut = fixed.length > 0 ? undefined : yield* bestCut(problem);
    if (!cut) {
      this.keep(fixed.length > 0 ? fixed : pairsIn(problem.rows));
      return undefined;
    }
    const before = this.cuts.get(one.policy.id);
    const lostBefore = before ? lostBy(problem, before) : 0;
    if (before && cut.lostCount >= lostBefore) return 0;
    this.cuts.set(one.policy.id, cut);
    this.grants.edit(one.policy.id, grantedAfter(one, cut));
    return cut.lostCount - lostBefore;
  }

  private *problemOf(one: Granting): Sliced<CutProblem> {
    const { identities, services, marks } = one;
    return {
      identities,
      services,
      rows: withoutEmpty(marks.rows),
      columns: withoutEmpty(marks.columns),
      lostWithRow: yield* this.lostWith(one, 'identities'),
      lostWithColumn: yield* this.lostWith(one, 'services'),
    };
  }

  /** For each marked member of a side: what it would lose without the policy, beside its marks. */
  private *lostWith(
    { policy, marks, ...sides }: Granting,
    side: GrantingSide,
  ): Sliced<Map<number, Bitset>> {
    const isRow = side === 'identities';
    const across = sides[isRow ? 'services' : 'identities'].members;
    const lost = new Map<number, Bitset>();
    for (const [ordinal, marked] of withoutEmpty(isRow ? marks.rows : marks.columns)) {
      const place = { ordinal, id: this.ids[side].get(ordinal) ?? '' };
      lost.set(
        ordinal,
        across
          .clone()
          .andNot(marked)
          .andNot(this.grants.beside(policy, side, place)),
      );
      yield;
    }
    return lost;
  }

  /** Lets pairs remain, because a policy keeps them. */
  private keep(pairs: readonly Pair[]): void {
    for (const pair of pairs) {
      this.kept.push(pair);
      for (const { marks } of this.granting) marks.delete(...pair);
    }
  }
}

const withoutEmpty = (sets: ReadonlyMap<number, Bitset>): Map<number, Bitset> =>
  new Map([...sets].filter(([, set]) => !set.isEmpty()));

const grantedAfter = ({ identities, services }: Granting, cut: PossibleCut): Rectangle =>
  cut.roles
    ? {
        identities: identities.members.clone().andNot(cut.identities),
        services: services.members.clone().andNot(cut.services),
      }
    : { identities: new Bitset(), services: new Bitset() };

function pairsIn(rows: ReadonlyMap<number, Bitset>): Pair[] {
  return [...rows].flatMap(([identity, services]) =>
    [...services].map((service): Pair => [identity, service]),
  );
}

/** The marked pairs neither of whose ends can be removed. */
function fixedPairs({ identities, services, rows, columns }: CutProblem): Pair[] {
  const movable = { rows: removable(identities, rows), columns: removable(services, columns) };
  return pairsIn(rows).filter(
    ([identity, service]) => !movable.rows.has(identity) && !movable.columns.has(service),
  );
}

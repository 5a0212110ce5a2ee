import { byteSorted, compareBytes } from '../kernel/byte-order.js';
import type { Bitset, EntityValue, IndexedPolicy, PolicyKind } from '../policy/index.js';
import { everyone, membersOf, selectedBy } from './access-model.js';
import type { AccessModel } from './access-model.js';
import { grantingSides } from './implied-policies.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';

/** A policy that could go today without a difference; other entities may need it tomorrow. */
export interface RedundantPolicy {
  readonly id: string;
  /** The policies that grant together what it does, on no more checks; none of them is redundant. */
  readonly by: readonly string[];
}

interface Held {
  readonly policy: IndexedPolicy;
  readonly number: number;
  readonly targets: Bitset;
  readonly checks: Bitset;
}

/**
 * The policies of a kind that grant nothing today that the others do not grant, entity by entity.
 * All of them can go together: each is covered by policies that are not among them.
 * @param mayGo The policies that are asked about; the others stay.
 * @param isThere Whether a policy counts at all.
 */
export function* redundantPolicies(
  model: AccessModel,
  kind: PolicyKind,
  mayGo: (id: string) => boolean,
  isThere: (id: string) => boolean,
): Sliced<RedundantPolicy[]> {
  const cover = yield* Cover.of(model, kind, isThere);
  const gone = new Set<string>();
  // The last go first, so that of equals the first one stays.
  for (const id of byteSorted(yield* cover.candidates(mayGo)).toReversed()) {
    if (yield* cover.coversAll(id, gone)) gone.add(id);
  }
  const found: RedundantPolicy[] = [];
  for (const id of byteSorted(gone)) found.push({ id, by: yield* cover.coveringOf(id, gone) });
  return found;
}

class Cover {
  private readonly held = new Map<string, Held>();

  private constructor(
    private readonly model: AccessModel,
    private readonly kind: PolicyKind,
  ) {}

  static *of(
    model: AccessModel,
    kind: PolicyKind,
    isThere: (id: string) => boolean,
  ): Sliced<Cover> {
    const cover = new Cover(model, kind);
    const [, to] = grantingSides(kind);
    const policies = [...model.policies(kind)].sort((a, b) => compareBytes(a.id, b.id));
    yield* eachSliced(policies, 64, (policy) => {
      if (!isThere(policy.id)) return;
      const targets = membersOf(model, kind, [policy], to);
      const checks =
        kind === 'servicePolicy'
          ? membersOf(model, kind, [policy], 'postureChecks')
          : targets.clone().andNot(targets);
      if (!targets.intersects(targets)) return;
      cover.held.set(policy.id, { policy, number: cover.held.size, targets, checks });
    });
    return cover;
  }

  /** The policies that somebody has, each of whose members has others for all its targets. */
  *candidates(mayGo: (id: string) => boolean): Sliced<string[]> {
    const { model } = this;
    const from = selectedBy(this.kind, grantingSides(this.kind)[0]);
    const seen = new Set<string>();
    const used = new Set<Held>();
    const needed = new Set<Held>();
    yield* eachSliced(model.idsOf(from, everyone(model, from)), 32, (id) => {
      const policies = this.policiesOf(model.entity(from, id));
      const signature = signatureOf(policies);
      if (seen.has(signature)) return;
      seen.add(signature);
      for (const held of policies) {
        used.add(held);
        if (!needed.has(held) && !isCovered(held, policies)) needed.add(held);
      }
    });
    return [...used]
      .filter((held) => !needed.has(held) && mayGo(held.policy.id))
      .map(({ policy }) => policy.id);
  }

  /** Whether the policies that are not gone cover it for each of its members. */
  *coversAll(id: string, gone: ReadonlySet<string>): Sliced<boolean> {
    let isWhole = true;
    yield* this.eachGroup(id, gone, (held, others) => {
      isWhole &&= isCovered(held, others);
    });
    return isWhole;
  }

  /** One policy that covers it alone where there is one, else those that do together. */
  *coveringOf(id: string, gone: ReadonlySet<string>): Sliced<string[]> {
    const together = new Set<string>();
    let alone: readonly string[] | undefined;
    yield* this.eachGroup(id, gone, (held, others) => {
      const whole = others.filter((other) => isCovered(held, [other]));
      const ids = whole.map(({ policy }) => policy.id);
      alone = alone ? alone.filter((other) => ids.includes(other)) : ids;
      for (const other of coveringParts(held, others)) together.add(other);
    });
    const [first] = byteSorted(alone ?? []);
    return first === undefined ? byteSorted(together) : [first];
  }

  /** Calls back once for all members with the same policies. */
  private *eachGroup(
    id: string,
    gone: ReadonlySet<string>,
    work: (held: Held, others: readonly Held[]) => void,
  ): Sliced<void> {
    const { model, kind } = this;
    const held = this.held.get(id);
    if (!held) return;
    const [side] = grantingSides(kind);
    const from = selectedBy(kind, side);
    const seen = new Set<string>();
    yield* eachSliced(
      model.idsOf(from, membersOf(model, kind, [held.policy], side)),
      32,
      (member) => {
        const others = this.policiesOf(model.entity(from, member)).filter(
          (other) => other !== held && !gone.has(other.policy.id),
        );
        const signature = signatureOf(others);
        if (seen.has(signature)) return;
        seen.add(signature);
        work(held, others);
      },
    );
  }

  private policiesOf(entity: EntityValue | undefined): Held[] {
    if (!entity) return [];
    const [side] = grantingSides(this.kind);
    return this.model
      .policiesWith(this.kind, side, entity)
      .flatMap(({ id }) => this.held.get(id) ?? [])
      .sort((a, b) => a.number - b.number);
  }
}

const signatureOf = (policies: readonly Held[]): string =>
  policies.map(({ number }) => number).join(' ');

const canStandIn = (other: Held, held: Held): boolean =>
  other !== held && other.policy.type === held.policy.type && isWithin(other.checks, held.checks);

const isWithin = (inner: Bitset, outer: Bitset): boolean => {
  const rest = inner.clone().andNot(outer);
  return !rest.intersects(rest);
};

function isCovered(held: Held, policies: readonly Held[]): boolean {
  const left = held.targets.clone();
  for (const other of policies) {
    if (!canStandIn(other, held)) continue;
    if (!left.andNot(other.targets).intersects(left)) return true;
  }
  return false;
}

/** Those that cover a part which the ones before them leave. */
function coveringParts(held: Held, policies: readonly Held[]): string[] {
  const left = held.targets.clone();
  return policies.flatMap((other) => {
    if (!canStandIn(other, held) || !other.targets.intersects(left)) return [];
    left.andNot(other.targets);
    return [other.policy.id];
  });
}

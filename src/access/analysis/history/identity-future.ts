import type { ComingPolicy } from '../../../data/rows/policy/index.js';
import type { AssignedPeriod } from '../../../data/rows/role-assignment/index.js';
import {
  member,
  withAttributes,
  writtenAttributes,
  writtenSides,
  type Bitset,
  type EntityValue,
} from '../../../kernel/policy/index.js';
import { forceAt, type Force } from '../../times/index.js';
import type { AccessModel } from '../model/access-model.js';
import { ModelOverlay } from '../model/model-overlay.js';
import { AccessSelection } from '../pairs/access-selection.js';
import { rowInForce } from '../model/row-in-force.js';

/** The role assignments of an identity, and the service policies, that the clock begins or ends. */
export interface ComingChanges {
  readonly periods: readonly AssignedPeriod[];
  readonly policies: readonly ComingPolicy[];
}

/**
 * Windows come again each week. So access by windows which lasts for this long lasts until something else ends, but for
 * windows of several zones whose clocks are turned on different days.
 */
const HORIZON_MILLIS = 8 * 7 * 86_400_000;

/** The access of one identity as it changes by the clock, from one end of an assignment or a policy to the next. */
export class IdentityFuture {
  readonly #model: ModelOverlay;
  readonly #periods: readonly AssignedPeriod[];
  readonly #forces = new Map<ComingPolicy, Force>();
  /** The ends that do not come again, in their order. */
  readonly #lastEnds: readonly number[];
  /** Undefined: now. */
  #time: number | undefined;
  /** Until then the ends of windows count. */
  #horizon = Infinity;

  constructor(
    model: AccessModel,
    private readonly identity: EntityValue,
    { periods, policies }: ComingChanges,
  ) {
    this.#model = new ModelOverlay(model);
    this.#periods = periods;
    const everything = this.withAssigned(periods);
    const relevant = policies.filter(({ id }) => {
      const policy = model.policy('servicePolicy', id);
      const roles = policy && writtenSides(policy).identities;
      return policy && roles && member(roles, policy.semantic, everything);
    });
    for (const policy of relevant) this.#forces.set(policy, policy);
    const ends = [
      ...periods.map(({ activeUntil }) => activeUntil),
      ...relevant.map(({ validUntil }) => validUntil),
    ];
    this.#lastEnds = ends.flatMap((end) => (end ? [end.getTime()] : [])).sort((a, b) => a - b);
  }

  /** The services that the identity reaches at this moment, by type. */
  row(): Bitset[] {
    const active = this.#periods.filter((period) => this.isActive(period));
    return new AccessSelection(this.#model, {}).rowWith(this.withAssigned(active));
  }

  /** Moves to the next moment at which something ends; undefined: nothing does, or the same again and again. */
  nextEnd(): Date | undefined {
    for (let next = this.nextChange(); next !== undefined; next = this.nextChange()) {
      if (this.moveTo(next)) return new Date(next);
    }
    return undefined;
  }

  private nextChange(): number | undefined {
    const end = this.#lastEnds.find((time) => time > (this.#time ?? -Infinity)) ?? Infinity;
    const changes = [...this.#forces.values()].map(
      ({ nextChangeAt }) => nextChangeAt?.getTime() ?? Infinity,
    );
    const change = Math.min(...changes);
    const next = change <= this.#horizon ? Math.min(end, change) : end;
    if (next === Infinity) return undefined;
    if (next === end || this.#horizon === Infinity) this.#horizon = next + HORIZON_MILLIS;
    return next;
  }

  /** Whether something ends at this time. */
  private moveTo(time: number): boolean {
    this.#time = time;
    let isEnd = this.#lastEnds.includes(time);
    for (const [policy, before] of this.#forces) {
      if (before.nextChangeAt === null || before.nextChangeAt.getTime() > time) continue;
      const force = forceAt(policy, new Date(time));
      this.#forces.set(policy, force);
      if (force.isInForce === before.isInForce) continue;
      isEnd ||= before.isInForce;
      const row = rowInForce(this.#model, policy.id, force);
      if (row) this.#model.apply(row);
    }
    return isEnd;
  }

  /** Whether it lasts at this moment: an end or a beginning at the moment itself has come. */
  private isActive({ isActive, activeFrom, activeUntil }: AssignedPeriod): boolean {
    if (this.#time === undefined) return isActive;
    const hasBegun = isActive || activeFrom.getTime() <= this.#time;
    return hasBegun && (activeUntil === null || activeUntil.getTime() > this.#time);
  }

  private withAssigned(periods: readonly AssignedPeriod[]): EntityValue {
    const attributes = new Set(periods.map(({ roleAttribute }) => roleAttribute));
    const { identity } = this;
    return withAttributes(identity, writtenAttributes(identity), [...attributes]);
  }
}

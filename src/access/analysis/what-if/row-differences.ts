import type {
  Bitset,
  EntityKind,
  EntityValue,
  IndexedPolicy,
} from '../../../kernel/policy/index.js';
import { selectedBy } from '../../../kernel/policy/index.js';
import { countBesides, Reach, signatureOf } from '../pairs/reach.js';
import type { Term } from '../pairs/reach.js';
import type { Relation } from '../pairs/relation.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import type { TargetSpace } from '../pairs/target-space.js';
import type { TwoStates } from '../model/two-states.js';

export interface DifferenceOptions {
  readonly relation: Relation;
  /** Restricts the count to pairs of this relation in the later state; its targets are the same kind. */
  readonly among?: Relation;
}

interface Rows {
  readonly gained: Bitset;
  readonly lost: Bitset;
}

/** The number of pairs, and the ids of the entities that have them. */
export class Tally {
  count = 0;
  readonly ids: string[] = [];

  /** Adds `count` pairs for each of the ids. */
  add(count: number, ids: readonly string[]): void {
    if (count === 0) return;
    this.count += count * ids.length;
    for (const id of ids) this.ids.push(id);
  }
}

interface Tallies {
  readonly gained: Tally;
  readonly lost: Tally;
}

/** The gains and losses of entities that changed themselves: it compares their rows in both states. */
export class ChangedEntityDifferences {
  private readonly kind: EntityKind;
  private readonly before: () => Reach;
  private readonly after: () => Reach;
  private readonly among: (() => Reach) | undefined;

  constructor(
    private readonly states: TwoStates,
    { relation, among }: DifferenceOptions,
    space: TargetSpace,
  ) {
    const { before, after } = states;
    this.kind = selectedBy(relation.kind, relation.from);
    this.before = once(() => new Reach(before, relation, space));
    this.after = once(() => new Reach(after, relation, space));
    this.among = among && once(() => new Reach(after, among, space));
  }

  rowsOf(id: string): Rows {
    const after = this.states.after.entity(this.kind, id);
    const rows = compared(
      this.before().row(this.states.before.entity(this.kind, id)),
      this.after().row(after),
    );
    return this.among ? restrictedTo(rows, this.among().row(after)) : rows;
  }

  *countAll(ids: readonly string[], tallies: Tallies): Sliced<void> {
    if (ids.length === 0) return;
    yield* compiled([this.before, this.after, this.among]);
    yield* eachSliced(ids, 16, (id) => {
      const { gained, lost } = this.rowsOf(id);
      tallies.gained.add(gained.popcount(), [id]);
      tallies.lost.add(lost.popcount(), [id]);
    });
  }
}

/**
 * The gains and losses of unchanged entities. Only touched policies can make a difference to them,
 * and only for pairs that no other policy grants: the others have the same members and targets in
 * both states.
 */
export class UnchangedEntityDifferences {
  private readonly kind: EntityKind;
  private readonly before: () => Reach;
  private readonly after: () => Reach;
  private readonly untouched: () => Reach;
  /** All targets that terms of `untouched` may have. */
  private readonly whole: () => Bitset;
  private readonly among: (() => Reach) | undefined;

  constructor(
    private readonly states: TwoStates,
    { relation, among }: DifferenceOptions,
    space: TargetSpace,
    touched: ReadonlySet<string>,
  ) {
    const { before, after } = states;
    const isTouched = ({ id }: IndexedPolicy): boolean => touched.has(id);
    this.kind = selectedBy(relation.kind, relation.from);
    this.before = once(() => new Reach(before, relation, space, isTouched));
    this.after = once(() => new Reach(after, relation, space, isTouched));
    this.untouched = once(() => new Reach(before, relation, space, (policy) => !isTouched(policy)));
    this.whole = once(() => space.whole().andNot(this.untouched().common));
    this.among = among && once(() => new Reach(after, among, space));
  }

  rowsOf(id: string): Rows {
    const entity = this.entity(id);
    const rows = this.difference(this.before().termsOf(entity), this.after().termsOf(entity));
    return this.restricted(rows, this.untouched().termsOf(entity), this.among?.().termsOf(entity));
  }

  *countAll(ids: readonly string[], tallies: Tallies): Sliced<void> {
    if (ids.length === 0) return;
    yield* compiled([this.before, this.after, this.untouched, this.among]);
    // First group by the effect of touched policies, which is equal for many and often nothing.
    const groups = new TermGroups<readonly [had: Terms, has: Terms]>();
    const [had, has] = [this.before(), this.after()];
    yield* eachSliced(ids, 32, (id) => {
      const entity = this.entity(id);
      groups.add([had.termsOf(entity), has.termsOf(entity)], id);
    });
    for (const group of groups.values()) {
      const rows = this.difference(...group.terms);
      if (!isEmpty(rows.gained) || !isEmpty(rows.lost)) {
        yield* this.countGroup(rows, group.ids, tallies);
      }
      yield;
    }
  }

  private *countGroup(rows: Rows, ids: readonly string[], tallies: Tallies): Sliced<void> {
    const groups = new TermGroups<readonly [kept: Terms, among: Terms]>();
    const [kept, among] = [this.untouched(), this.among?.()];
    yield* eachSliced(ids, 32, (id) => {
      const entity = this.entity(id);
      groups.add([kept.termsOf(entity), among?.termsOf(entity)], id);
    });
    const gained = this.counter(rows.gained);
    const lost = this.counter(rows.lost);
    yield* eachSliced(groups.values(), 128, (group) => {
      tallies.gained.add(gained(...group.terms), group.ids);
      tallies.lost.add(lost(...group.terms), group.ids);
    });
  }

  private entity(id: string): EntityValue | undefined {
    return this.states.before.entity(this.kind, id);
  }

  /** Gives the effect of touched policies, without the targets that the other policies grant to all. */
  private difference(termsBefore: Terms, termsAfter: Terms): Rows {
    const { gained, lost } = compared(
      this.before().union(termsBefore),
      this.after().union(termsAfter),
    );
    const { common } = this.untouched();
    return { gained: gained.andNot(common), lost: lost.andNot(common) };
  }

  private restricted(rows: Rows, untouchedTerms: Terms, among: Terms): Rows {
    const restricted = {
      gained: without(rows.gained, untouchedTerms),
      lost: without(rows.lost, untouchedTerms),
    };
    return this.among ? restrictedTo(restricted, this.among().union(among)) : restricted;
  }

  /** Counts the rest of a row, with short cuts for an empty and for a complete row. */
  private counter(row: Bitset): (kept: Terms, among: Terms) => number {
    const count = row.popcount();
    if (count === 0) return () => 0;
    const among = this.among?.();
    if (among) return (kept, terms) => without(row, kept).and(among.union(terms)).popcount();
    if (row.equals(this.whole())) return (kept = []) => count - countBesides(kept);
    return (kept) => without(row, kept).popcount();
  }
}

type Terms = readonly Term[] | undefined;

/** Groups entities with the same terms, which have the same gains and losses. */
class TermGroups<T extends readonly Terms[]> {
  private readonly bySignature = new Map<string, { readonly terms: T; readonly ids: string[] }>();

  add(terms: T, id: string): void {
    const signature = terms.map(signatureOf).join('');
    const group = this.bySignature.get(signature);
    if (group) group.ids.push(id);
    else this.bySignature.set(signature, { terms, ids: [id] });
  }

  values(): Iterable<{ readonly terms: T; readonly ids: string[] }> {
    return this.bySignature.values();
  }
}

const isEmpty = (row: Bitset): boolean => !row.intersects(row);

/** Changes its arguments. */
function compared(before: Bitset, after: Bitset): Rows {
  const gained = after.clone().andNot(before);
  return { gained, lost: before.andNot(after) };
}

/** Changes the rows. */
const restrictedTo = ({ gained, lost }: Rows, counted: Bitset): Rows => ({
  gained: gained.and(counted),
  lost: lost.and(counted),
});

function without(row: Bitset, terms: Terms): Bitset {
  const remaining = row.clone();
  for (const term of terms ?? []) if (term.row) remaining.andNot(term.row);
  return remaining;
}

/** Runs the makers in slices. */
function* compiled(makers: readonly ((() => Reach) | undefined)[]): Sliced<void> {
  for (const make of makers) {
    make?.();
    yield;
  }
}

function once<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

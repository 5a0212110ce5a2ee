import type { Bitset, EntityKind, EntityValue, IndexedPolicy } from '../policy/index.js';
import { selectedBy } from './access-model.js';
import { countBesides, Reach, signatureOf } from './reach.js';
import type { Term } from './reach.js';
import type { Relation } from './relation.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';
import type { TargetSpace } from './target-space.js';
import type { TwoStates } from './two-states.js';

export interface Differing {
  readonly relation: Relation;
  /** Counts only the pairs that this has afterwards; its targets are of the same kind. */
  readonly among?: Relation;
}

interface Rows {
  readonly gained: Bitset;
  readonly lost: Bitset;
}

/** How many pairs, and whose. */
export class Tally {
  count = 0;
  readonly ids: string[] = [];

  /** So many of each. */
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

/** What the entities that changed themselves gain and lose: their rows in both states compared. */
export class OwnDifferences {
  private readonly kind: EntityKind;
  private readonly had: () => Reach;
  private readonly has: () => Reach;
  private readonly among: (() => Reach) | undefined;

  constructor(
    private readonly states: TwoStates,
    { relation, among }: Differing,
    space: TargetSpace,
  ) {
    const { before, after } = states;
    this.kind = selectedBy(relation.kind, relation.from);
    this.had = once(() => new Reach(before, relation, space));
    this.has = once(() => new Reach(after, relation, space));
    this.among = among && once(() => new Reach(after, among, space));
  }

  rowsOf(id: string): Rows {
    const after = this.states.after.entity(this.kind, id);
    const rows = compared(
      this.had().row(this.states.before.entity(this.kind, id)),
      this.has().row(after),
    );
    return this.among ? both(rows, this.among().row(after)) : rows;
  }

  *countAll(ids: readonly string[], found: Tallies): Sliced<void> {
    if (ids.length === 0) return;
    yield* compiled([this.had, this.has, this.among]);
    yield* eachSliced(ids, 16, (id) => {
      const { gained, lost } = this.rowsOf(id);
      found.gained.add(gained.popcount(), [id]);
      found.lost.add(lost.popcount(), [id]);
    });
  }
}

/**
 * What entities gain and lose that did not change themselves. Only touched policies can make a
 * difference to them, and only where no other policy has the pair: the others have the same
 * members and targets in both states.
 */
export class OthersDifferences {
  private readonly kind: EntityKind;
  private readonly had: () => Reach;
  private readonly has: () => Reach;
  private readonly kept: () => Reach;
  /** All that terms of `kept` may lead to. */
  private readonly whole: () => Bitset;
  private readonly among: (() => Reach) | undefined;

  constructor(
    private readonly states: TwoStates,
    { relation, among }: Differing,
    space: TargetSpace,
    touched: ReadonlySet<string>,
  ) {
    const { before, after } = states;
    const isTouched = ({ id }: IndexedPolicy): boolean => touched.has(id);
    this.kind = selectedBy(relation.kind, relation.from);
    this.had = once(() => new Reach(before, relation, space, isTouched));
    this.has = once(() => new Reach(after, relation, space, isTouched));
    this.kept = once(() => new Reach(before, relation, space, (policy) => !isTouched(policy)));
    this.whole = once(() => space.whole().andNot(this.kept().common));
    this.among = among && once(() => new Reach(after, among, space));
  }

  rowsOf(id: string): Rows {
    const entity = this.entity(id);
    const rows = this.difference(this.had().termsOf(entity), this.has().termsOf(entity));
    return this.restricted(rows, this.kept().termsOf(entity), this.among?.().termsOf(entity));
  }

  *countAll(ids: readonly string[], found: Tallies): Sliced<void> {
    if (ids.length === 0) return;
    yield* compiled([this.had, this.has, this.kept, this.among]);
    // First by what touched policies do for them, which is the same for many and often nothing.
    const groups = new Groups<readonly [had: Terms, has: Terms]>();
    const [had, has] = [this.had(), this.has()];
    yield* eachSliced(ids, 32, (id) => {
      const entity = this.entity(id);
      groups.add([had.termsOf(entity), has.termsOf(entity)], id);
    });
    for (const group of groups.values()) {
      const rows = this.difference(...group.terms);
      if (!isEmpty(rows.gained) || !isEmpty(rows.lost)) {
        yield* this.countGroup(rows, group.ids, found);
      }
      yield;
    }
  }

  private *countGroup(rows: Rows, ids: readonly string[], found: Tallies): Sliced<void> {
    const groups = new Groups<readonly [kept: Terms, among: Terms]>();
    const [kept, among] = [this.kept(), this.among?.()];
    yield* eachSliced(ids, 32, (id) => {
      const entity = this.entity(id);
      groups.add([kept.termsOf(entity), among?.termsOf(entity)], id);
    });
    const gained = this.counter(rows.gained);
    const lost = this.counter(rows.lost);
    yield* eachSliced(groups.values(), 128, (group) => {
      found.gained.add(gained(...group.terms), group.ids);
      found.lost.add(lost(...group.terms), group.ids);
    });
  }

  private entity(id: string): EntityValue | undefined {
    return this.states.before.entity(this.kind, id);
  }

  /** What touched policies add and take, but for what all have from others. */
  private difference(had: Terms, has: Terms): Rows {
    const { gained, lost } = compared(this.had().union(had), this.has().union(has));
    const { common } = this.kept();
    return { gained: gained.andNot(common), lost: lost.andNot(common) };
  }

  private restricted(rows: Rows, kept: Terms, among: Terms): Rows {
    const restricted = { gained: without(rows.gained, kept), lost: without(rows.lost, kept) };
    return this.among ? both(restricted, this.among().union(among)) : restricted;
  }

  /** Counts what is left of a row; quickly when it is nothing, or all that other terms may have. */
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

/** Entities with the same terms, which gain and lose the same. */
class Groups<T extends readonly Terms[]> {
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

/** Uses up what is given. */
function compared(had: Bitset, has: Bitset): Rows {
  const gained = has.clone().andNot(had);
  return { gained, lost: had.andNot(has) };
}

/** Uses up the rows. */
const both = ({ gained, lost }: Rows, counted: Bitset): Rows => ({
  gained: gained.and(counted),
  lost: lost.and(counted),
});

function without(row: Bitset, terms: Terms): Bitset {
  const rest = row.clone();
  for (const term of terms ?? []) if (term.row) rest.andNot(term.row);
  return rest;
}

/** Makes each of them, with stops in between. */
function* compiled(makers: readonly ((() => Reach) | undefined)[]): Sliced<void> {
  for (const make of makers) {
    make?.();
    yield;
  }
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

import { Bitset } from '../../../kernel/policy/index.js';
import type { Sliced } from '../../../base/slices.js';
import type { SideRemoval } from './side-removal.js';

/** The marked pairs of a policy: the marked ends across, for each end on a side. */
type Marks = ReadonlyMap<number, Bitset>;

/** What an edit of one policy has to achieve. */
export interface CutProblem {
  readonly identities: SideRemoval;
  readonly services: SideRemoval;
  /** Identity -> its marked services. */
  readonly rows: Marks;
  /** Service -> its marked identities. */
  readonly columns: Marks;
  /** Identity -> the services without a mark that it would lose together with its row. */
  readonly lostWithRow: ReadonlyMap<number, Bitset>;
  /** Service -> the identities without a mark that would lose it together with its column. */
  readonly lostWithColumn: ReadonlyMap<number, Bitset>;
}

/** Members to remove from both sides of a policy: whole rows and columns of what it grants. */
export interface Cut {
  readonly identities: Bitset;
  readonly services: Bitset;
}

/** A cut with the edit that makes it; without role lists the policy is deleted. */
export interface PossibleCut extends Cut {
  readonly roles: Readonly<Partial<Record<keyof Cut, readonly string[]>>> | undefined;
  /** The number of pairs without a mark that it takes away. */
  readonly lostCount: number;
}

/** Subsets to try one by one, at most. */
const MAX_SUBSETS = 1_024;
/** Ends times subsets, at most. */
const MAX_TRIED = 65_536;

/**
 * Finds the cut that takes all marked pairs and the fewest others. Keeping as much as possible of a
 * rectangle is a hard problem in general: few rows or columns are tried in all ways, many by rules.
 * Undefined if no role list makes such a cut.
 */
export function* bestCut(problem: CutProblem): Sliced<PossibleCut | undefined> {
  let best: PossibleCut | undefined;
  for (const cut of candidates(problem)) {
    const possible = possibleCut(problem, cut);
    if (possible && (!best || compareCuts(possible, best) < 0)) best = possible;
    yield;
  }
  return best;
}

const compareCuts = (a: PossibleCut, b: PossibleCut): number =>
  a.lostCount - b.lostCount || sizeOf(a) - sizeOf(b);

/** How much there is to review: a deletion is the simplest edit, then those of few roles. */
const sizeOf = ({ roles }: PossibleCut): number =>
  roles ? 1 + Object.values(roles).reduce((sum, list) => sum + 1 + list.length, 0) : 0;

function possibleCut(problem: CutProblem, cut: Cut): PossibleCut | undefined {
  const lostCount = lostBy(problem, cut);
  const sides = (['identities', 'services'] as const).filter((side) => !cut[side].isEmpty());
  const emptied = sides.filter((side) => problem[side].isAll(cut[side]));
  if (emptied.length > 0) {
    // A broad policy is not deleted for a part of what it grants.
    const isBroad = emptied.some((side) => problem[side].hasAll);
    return isBroad && lostCount > 0 ? undefined : { ...cut, roles: undefined, lostCount };
  }
  const roles: Partial<Record<keyof Cut, readonly string[]>> = {};
  for (const side of sides) {
    const list = problem[side].without(cut[side]);
    if (!list) return undefined;
    roles[side] = list;
  }
  return { ...cut, roles, lostCount };
}

/** Counts a pair in a row and in a column once. */
export function lostBy(
  { lostWithRow, lostWithColumn }: CutProblem,
  { identities, services }: Cut,
): number {
  let count = 0;
  identities.forEach((identity) => {
    const lost = lostWithRow.get(identity);
    if (lost) count += lost.clone().andNot(services).popcount();
  });
  services.forEach((service) => {
    count += lostWithColumn.get(service)?.popcount() ?? 0;
  });
  return count;
}

function* candidates(problem: CutProblem): Generator<Cut, void> {
  const { rows, columns, identities, services, lostWithRow, lostWithColumn } = problem;
  const movable = {
    rows: removable(identities, rows),
    columns: removable(services, columns),
  };
  const chosenRows = new ChosenRows(rows, movable.columns);
  const chosenColumns = new ChosenRows(columns, movable.rows);
  yield chosenRows.cut(movable.rows);
  yield flipped(chosenColumns.cut(movable.columns));
  yield chosenRows.cut(harmless(movable.rows, lostWithRow));
  yield flipped(chosenColumns.cut(harmless(movable.columns, lostWithColumn)));
  yield chosenRows.cut(cheaperRows(problem, movable.rows));
  if (movable.rows.popcount() <= movable.columns.popcount()) {
    yield* allWays(chosenRows, movable.rows, columns.size);
  } else {
    for (const cut of allWays(chosenColumns, movable.columns, rows.size)) yield flipped(cut);
  }
}

/** The marked members that the role lists let go; all of them if nothing would stay. */
export function removable(side: SideRemoval, marks: Marks): Bitset {
  const marked = Bitset.of(marks.keys());
  return side.isAll(marked) ? marked : marked.clone().andNot(side.fixed(marked));
}

/** Cuts of some rows, with the columns that the marked pairs of the other rows need. */
class ChosenRows {
  /** Rows with a marked pair whose column can not be cut. */
  private readonly needed: Bitset;

  constructor(
    private readonly rows: Marks,
    movableColumns: Bitset,
  ) {
    const needed = [...rows].filter(
      ([, marked]) => !marked.clone().andNot(movableColumns).isEmpty(),
    );
    this.needed = Bitset.of(needed.map(([row]) => row));
  }

  cut(chosen: Bitset): Cut {
    const cutRows = chosen.clone().or(this.needed);
    const services = new Bitset();
    for (const [row, marked] of this.rows) if (!cutRows.has(row)) services.or(marked);
    // A row all of whose marked pairs are in cut columns stays.
    const identities = Bitset.of(
      [...cutRows].filter(
        (row) => this.rows.get(row)?.clone().andNot(services).isEmpty() === false,
      ),
    );
    return { identities, services };
  }
}

const harmless = (ends: Bitset, lostWith: ReadonlyMap<number, Bitset>): Bitset =>
  Bitset.of([...ends].filter((end) => lostWith.get(end)?.isEmpty() ?? true));

const sizeIn = (sets: ReadonlyMap<number, Bitset>, key: number): number =>
  sets.get(key)?.popcount() ?? 0;

/** The rows that lose at most as much as the columns of their marked pairs do together. */
function cheaperRows({ rows, lostWithRow, lostWithColumn }: CutProblem, ends: Bitset): Bitset {
  const isCheaper = (row: number): boolean => {
    let lostWithColumns = 0;
    rows.get(row)?.forEach((service) => {
      lostWithColumns += sizeIn(lostWithColumn, service);
    });
    return sizeIn(lostWithRow, row) <= lostWithColumns;
  };
  return Bitset.of([...ends].filter(isCheaper));
}

/** The cuts of each subset of the rows, if these are few. */
function* allWays(rows: ChosenRows, ends: Bitset, columnCount: number): Generator<Cut, void> {
  const all = [...ends];
  const count = 2 ** all.length;
  if (count > MAX_SUBSETS || count * columnCount > MAX_TRIED) return;
  for (let subset = 0; subset < count; subset += 1) {
    yield rows.cut(Bitset.of(all.filter((_, i) => ((subset >>> i) & 1) === 1)));
  }
}

const flipped = ({ identities, services }: Cut): Cut => ({
  identities: services,
  services: identities,
});

import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { failure } from '../../base/errors.js';

/*
 * What the validation and the compilation of a document cost, counted on its text alone: validation
 * compares every two fields that answer under one name, and a compiled document has code for each
 * field of each fragment, as often as it is spread.
 */

interface Counts {
  readonly operations: number;
  readonly fragments: number;
  /** Fields and spreads of all definitions, those of fragments as often as they are spread. */
  readonly selections: number;
  /** Fields that answer under one name at one place, and fragments spread at one place, by pairs. */
  readonly pairs: number;
}

export interface Shape extends Counts {
  /** Fragments lead back to themselves, which no document may; their pairs are not counted. */
  readonly isCircular: boolean;
}

const MOST: Counts = {
  operations: 20,
  fragments: 64,
  selections: 5_000,
  pairs: 5_000,
};

const NAMES: Readonly<Record<keyof Counts, string>> = {
  operations: 'number of operations',
  fragments: 'number of fragments',
  selections: 'number of selections with those of fragments',
  pairs: 'number of pairs of fields and fragments at one place',
};

/** @throws ApiError QUERY_TOO_COMPLEX */
export function refuseShape(shape: Shape): void {
  for (const part of Object.keys(MOST) as (keyof Counts)[]) {
    if (shape[part] <= MOST[part]) continue;
    throw failure(
      'QUERY_TOO_COMPLEX',
      `the ${NAMES[part]} is ${String(shape[part])}, at most ${String(MOST[part])} is allowed`,
    );
  }
}

/** Pairs are counted only where the rest is not too much, which bounds the time of counting them. */
export function shapeOf({ definitions }: DocumentNode): Shape {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const sets: SelectionSetNode[] = [];
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
    if ('selectionSet' in definition) sets.push(definition.selectionSet);
  }
  const { selections, isCircular } = selectionsIn(sets, fragments);
  const isSmall = selections <= MOST.selections && fragments.size <= MOST.fragments && !isCircular;
  return {
    operations: sets.length - fragments.size,
    fragments: fragments.size,
    selections,
    isCircular,
    pairs: isSmall ? sets.reduce((sum, set) => sum + pairsIn([set], fragments), 0) : 0,
  };
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function selectionsIn(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): { selections: number; isCircular: boolean } {
  const counts = new Map<string, number>();
  let isCircular = false;
  const ofFragment = (name: string): number => {
    const known = counts.get(name);
    if (known !== undefined) {
      isCircular ||= Number.isNaN(known);
      return known || 0;
    }
    // Not a number until it is counted.
    counts.set(name, NaN);
    const fragment = fragments.get(name);
    const count = fragment ? ofSet(fragment.selectionSet) : 0;
    counts.set(name, count);
    return count;
  };
  const ofSet = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, node) => {
      if (node.kind === Kind.FRAGMENT_SPREAD) return sum + 1 + ofFragment(node.name.value);
      return sum + 1 + (node.selectionSet ? ofSet(node.selectionSet) : 0);
    }, 0);
  const selections = sets.reduce((sum, set) => sum + ofSet(set), 0);
  return { selections, isCircular };
}

const pairsOf = (count: number): number => (count * (count - 1)) / 2;

/** Of sets that are merged, and of what is merged below them. */
function pairsIn(sets: readonly SelectionSetNode[], fragments: Fragments): number {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const name = (node.alias ?? node.name).value;
        const same = fields.get(name);
        if (same) same.push(node);
        else fields.set(name, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        const fragment = fragments.get(node.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  sets.forEach(collect);
  let pairs = pairsOf(spread.size);
  for (const same of fields.values()) {
    const below = same.flatMap(({ selectionSet }) => selectionSet ?? []);
    pairs += pairsOf(same.length) + (below.length > 0 ? pairsIn(below, fragments) : 0);
  }
  return pairs;
}

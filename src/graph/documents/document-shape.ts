import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type VariableDefinitionNode,
} from 'graphql';
import { failure } from '../../base/errors.js';

/*
 * The cost of validating and compiling a document, counted on its text: validation compares every
 * two fields with one response name, and a compiled document has code for each field of each
 * fragment, once for each spread.
 */

interface Counts {
  readonly operations: number;
  readonly fragments: number;
  /** Fields and spreads of all definitions; those of a fragment count once for each spread. */
  readonly selections: number;
  /** Directives of all definitions; those of a fragment count once for each spread. */
  readonly directives: number;
  /** Pairs of fields with one response name in one place, and of fragments spread in one place. */
  readonly pairs: number;
}

export interface Shape extends Counts {
  /** Whether fragments spread themselves, which is invalid; their pairs are not counted. */
  readonly isCircular: boolean;
}

const MAX_COUNTS: Counts = {
  operations: 20,
  fragments: 64,
  selections: 5_000,
  directives: 200,
  pairs: 5_000,
};

const NAMES: Readonly<Record<keyof Counts, string>> = {
  operations: 'number of operations',
  fragments: 'number of fragments',
  selections: 'number of selections with those of fragments',
  directives: 'number of directives with those of fragments',
  pairs: 'number of pairs of fields and fragments at one place',
};

/** @throws ApiError QUERY_TOO_COMPLEX */
export function refuseShape(shape: Shape): void {
  for (const part of Object.keys(MAX_COUNTS) as (keyof Counts)[]) {
    if (shape[part] <= MAX_COUNTS[part]) continue;
    throw failure(
      'QUERY_TOO_COMPLEX',
      `the ${NAMES[part]} is ${String(shape[part])}, at most ${String(MAX_COUNTS[part])} is allowed`,
    );
  }
}

/** Counts pairs only in a document that is otherwise small enough, which bounds the time. */
export function shapeOf({ definitions }: DocumentNode): Shape {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const executable: Executable[] = [];
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
    if ('selectionSet' in definition) executable.push(definition);
  }
  const { selections, directives, isCircular } = sizeOf(executable, fragments);
  const isSmall =
    selections <= MAX_COUNTS.selections && fragments.size <= MAX_COUNTS.fragments && !isCircular;
  const pairs = executable.map(({ selectionSet }) =>
    isSmall ? pairsIn([selectionSet], fragments) : 0,
  );
  return {
    operations: executable.length - fragments.size,
    fragments: fragments.size,
    selections,
    directives,
    isCircular,
    pairs: pairs.reduce((sum, count) => sum + count, 0),
  };
}

type Executable = OperationDefinitionNode | FragmentDefinitionNode;
type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The size of a part of a document, with the fragments that it spreads. */
type Size = Pick<Counts, 'selections' | 'directives'>;

const NOTHING: Size = { selections: 0, directives: 0 };

const total = (sizes: readonly Size[]): Size =>
  sizes.reduce(
    (sum, { selections, directives }) => ({
      selections: sum.selections + selections,
      directives: sum.directives + directives,
    }),
    NOTHING,
  );

type WithDirectives = Executable | SelectionNode | VariableDefinitionNode;

const ownSize = ({ directives = [] }: WithDirectives, selections: 0 | 1): Size => ({
  selections,
  directives: directives.length,
});

function sizeOf(
  definitions: readonly Executable[],
  fragments: Fragments,
): Size & { readonly isCircular: boolean } {
  const sizes = new Map<string, Size | undefined>();
  let isCircular = false;
  const ofFragment = (name: string): Size => {
    if (sizes.has(name)) {
      const cachedSize = sizes.get(name);
      isCircular ||= cachedSize === undefined;
      return cachedSize ?? NOTHING;
    }
    // Undefined while it is being counted.
    sizes.set(name, undefined);
    const fragment = fragments.get(name);
    const size = fragment ? ofDefinition(fragment) : NOTHING;
    sizes.set(name, size);
    return size;
  };
  const ofDefinition = (definition: Executable): Size => {
    const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
    const variables = (isOperation && definition.variableDefinitions) || [];
    const ownSizes = [definition, ...variables].map((node) => ownSize(node, 0));
    return total([...ownSizes, ofSet(definition.selectionSet)]);
  };
  const ofSet = ({ selections }: SelectionSetNode): Size =>
    total(
      selections.map((node) => {
        if (node.kind === Kind.FRAGMENT_SPREAD) {
          return total([ownSize(node, 1), ofFragment(node.name.value)]);
        }
        const nestedSize = node.selectionSet ? ofSet(node.selectionSet) : NOTHING;
        return total([ownSize(node, 1), nestedSize]);
      }),
    );
  return { ...total(definitions.map(ofDefinition)), isCircular };
}

const pairsOf = (count: number): number => (count * (count - 1)) / 2;

/** Counts the pairs in sets that are merged, and in the sets below them. */
function pairsIn(sets: readonly SelectionSetNode[], fragments: Fragments): number {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const name = (node.alias ?? node.name).value;
        const sameNameFields = fields.get(name);
        if (sameNameFields) sameNameFields.push(node);
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
  for (const sameNameFields of fields.values()) {
    const nestedSets = sameNameFields.flatMap(({ selectionSet }) => selectionSet ?? []);
    pairs +=
      pairsOf(sameNameFields.length) + (nestedSets.length > 0 ? pairsIn(nestedSets, fragments) : 0);
  }
  return pairs;
}

import {
  Kind,
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { failure } from '../kernel/errors.js';

/*
 * What a document may ask, checked on its text alone: before it is validated or executed, so that a
 * refusal costs next to nothing. The numbers leave room for introspection and for wide dashboards.
 */
export const MAX_TOKENS = 2_000;
const MAX_DEPTH = 16;
const MAX_ALIASES = 100;
const MAX_COST = 250_000;
const DEFAULT_PAGE = 25;
const UNLIMITED_PAGE = 500;

export interface Weight {
  /** Fields that may come back at the most: one per field, times the sizes of the pages around it. */
  readonly cost: number;
  readonly depth: number;
  readonly aliases: number;
}

type Variables = Readonly<Record<string, unknown>>;

/** Of a selection: whether it is that of a page, which says how often it may come. */
interface SetWeight extends Weight {
  readonly isPage: boolean;
}

const NOTHING: SetWeight = { cost: 0, depth: 0, aliases: 0, isPage: false };

const together = (a: SetWeight, b: SetWeight): SetWeight => ({
  cost: a.cost + b.cost,
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
  isPage: a.isPage || b.isPage,
});

/** Weighs a document. Linear in its length, fragments included. */
export function weigh(document: DocumentNode, given: Variables): Weight {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const d of document.definitions) {
    if (d.kind === Kind.FRAGMENT_DEFINITION) fragments.set(d.name.value, d);
  }
  const variables = { ...defaultsOf(document), ...given };
  const weighed = new Map<string, SetWeight>();
  const ofFragment = (name: string): SetWeight => {
    const known = weighed.get(name);
    if (known) return known;
    // A fragment that leads back to itself weighs nothing here; validation refuses it.
    weighed.set(name, NOTHING);
    const definition = fragments.get(name);
    const weight = definition ? ofSet(definition.selectionSet) : NOTHING;
    weighed.set(name, weight);
    return weight;
  };
  const ofField = (field: FieldNode): SetWeight => {
    const below = field.selectionSet ? ofSet(field.selectionSet) : NOTHING;
    return {
      cost: 1 + below.cost * (below.isPage ? pageSize(field.arguments ?? [], variables) : 1),
      depth: 1 + below.depth,
      aliases: below.aliases + (field.alias ? 1 : 0),
      isPage: field.name.value === 'nodes' || field.name.value === 'edges',
    };
  };
  const ofSet = (set: SelectionSetNode): SetWeight =>
    set.selections
      .map((node) => {
        if (node.kind === Kind.FIELD) return ofField(node);
        return node.kind === Kind.INLINE_FRAGMENT
          ? ofSet(node.selectionSet)
          : ofFragment(node.name.value);
      })
      .reduce(together, NOTHING);
  return document.definitions
    .map((d) => (d.kind === Kind.OPERATION_DEFINITION ? ofSet(d.selectionSet) : NOTHING))
    .reduce(together, NOTHING);
}

/** What variables are when nobody gives them, as far as sizes of pages can be. */
function defaultsOf(document: DocumentNode): Variables {
  const values: Record<string, unknown> = {};
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { variable, defaultValue } of definition.variableDefinitions ?? []) {
      if (defaultValue && 'value' in defaultValue) values[variable.name.value] = defaultValue.value;
    }
  }
  return values;
}

function pageSize(args: readonly ArgumentNode[], variables: Variables): number {
  const sizes = args.map((a) => sizeBy(a, variables)).filter((size) => size !== undefined);
  if (sizes.length === 0) return DEFAULT_PAGE;
  return Math.min(Math.max(1, ...sizes), UNLIMITED_PAGE);
}

/** The size of a page as one of its arguments says it. */
function sizeBy({ name, value }: ArgumentNode, variables: Variables): number | undefined {
  const given = valueOf(value, variables);
  if (given === undefined || given === null) return undefined;
  // A filter may limit its list itself; how far is not worth reading here.
  if (name.value === 'filter')
    return /limit/i.test(JSON.stringify(given)) ? UNLIMITED_PAGE : undefined;
  if (!['first', 'last', 'limit'].includes(name.value)) return undefined;
  const size = Number(given);
  return size < 0 || Number.isNaN(size) ? UNLIMITED_PAGE : size;
}

function valueOf(node: ValueNode, variables: Variables): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value];
  return 'value' in node ? node.value : undefined;
}

/** @throws ApiError QUERY_TOO_COMPLEX */
export function refuseTooMuch({ cost, depth, aliases }: Weight): void {
  const limits: readonly (readonly [string, number, number])[] = [
    ['depth', depth, MAX_DEPTH],
    ['number of aliases', aliases, MAX_ALIASES],
    ['cost', cost, MAX_COST],
  ];
  for (const [what, is, most] of limits) {
    if (is > most) {
      throw failure(
        'QUERY_TOO_COMPLEX',
        `the ${what} is ${String(is)}, at most ${String(most)} is allowed`,
      );
    }
  }
}

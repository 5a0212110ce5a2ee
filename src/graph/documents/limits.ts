import {
  Kind,
  valueFromASTUntyped,
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { failure } from '../../base/errors.js';
import { filterLimit, filterWeight, whereWeight } from './filter-weight.js';

/*
 * What a document may ask, checked on its text alone: before it is validated or executed, so that a
 * refusal costs next to nothing. The numbers leave room for introspection and for wide dashboards.
 *
 * Own code, because the rules of `graphql-armor` 3.2.0 run inside validation: a fragment with one
 * field 480 times is compared for 100 ms before they refuse anything. They judge each operation by
 * itself, count every page by a variable or without a size as one row, and look neither at filters
 * nor at values of variables, at the length of a text, or at the number of operations.
 */
export const MAX_TOKENS = 2_000;
/** In characters; comments and texts are no more than a token each. */
export const MAX_LENGTH = 128 * 1024;
const MAX_DEPTH = 16;
const MAX_ALIASES = 100;
const MAX_COST = 250_000;
const DEFAULT_PAGE = 25;
export const UNLIMITED_PAGE = 500;

const COST_OF_META_FIELD = 3;
/** About how many of these there are, for each one of what introspection gives around them. */
const META_SIZES: ReadonlyMap<string, number> = new Map([
  ['types', 400],
  ['directives', 8],
  ['fields', 4],
  ['inputFields', 3],
  ['interfaces', 0.1],
  ['possibleTypes', 0.1],
  ['ofType', 0.5],
]);

export interface Weight {
  /**
   * Fields that may come back at the most: one per field, times the sizes of the pages around it;
   * fifty for each condition of a list, and a thousand more for one on linked rows.
   */
  readonly cost: number;
  readonly depth: number;
  readonly aliases: number;
  /** It asks about the schema, all of which is answered without a pause in which others are served. */
  readonly isAboutSchema: boolean;
}

type Variables = Readonly<Record<string, unknown>>;

/** Of a selection: whether it is that of a page, which says how often it may come. */
interface SetWeight extends Weight {
  readonly isPage: boolean;
}

const NOTHING: SetWeight = {
  cost: 0,
  depth: 0,
  aliases: 0,
  isAboutSchema: false,
  isPage: false,
};

const together = (a: SetWeight, b: SetWeight): SetWeight => ({
  cost: a.cost + b.cost,
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
  isAboutSchema: a.isAboutSchema || b.isAboutSchema,
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
    const weight = definition ? ofSet(definition.selectionSet, isMetaType(definition)) : NOTHING;
    weighed.set(name, weight);
    return weight;
  };
  const ofField = (field: FieldNode, isWithinMeta: boolean): SetWeight => {
    const name = field.name.value;
    const isMeta = isWithinMeta || name === '__schema' || name === '__type';
    const below = field.selectionSet ? ofSet(field.selectionSet, isMeta) : NOTHING;
    const cost = isMeta
      ? COST_OF_META_FIELD + Math.ceil(below.cost * (META_SIZES.get(name) ?? 1))
      : costOf(field, below, variables);
    return {
      cost,
      depth: 1 + below.depth,
      aliases: below.aliases + (field.alias ? 1 : 0),
      isAboutSchema: isMeta || below.isAboutSchema,
      isPage: name === 'nodes' || name === 'edges',
    };
  };
  const ofSet = (set: SelectionSetNode, isMeta: boolean): SetWeight =>
    set.selections
      .map((node) => {
        if (node.kind === Kind.FIELD) return ofField(node, isMeta);
        return node.kind === Kind.INLINE_FRAGMENT
          ? ofSet(node.selectionSet, isMeta)
          : ofFragment(node.name.value);
      })
      .reduce(together, NOTHING);
  return document.definitions
    .map((d) => (d.kind === Kind.OPERATION_DEFINITION ? ofSet(d.selectionSet, false) : NOTHING))
    .reduce(together, NOTHING);
}

const isMetaType = ({ typeCondition }: FragmentDefinitionNode): boolean =>
  typeCondition.name.value.startsWith('__');

function costOf(field: FieldNode, below: SetWeight, variables: Variables): number {
  const args = field.arguments ?? [];
  const conditions = args.reduce((sum, arg) => sum + conditionsIn(arg, variables), 0);
  return 1 + conditions + below.cost * (below.isPage ? pageSize(args, variables) : 1);
}

/** What the conditions of an argument cost, be it a text or an input. */
function conditionsIn({ name, value }: ArgumentNode, variables: Variables): number {
  if (!CONDITIONS.test(name.value)) return 0;
  const given =
    value.kind === Kind.VARIABLE
      ? variables[value.name.value]
      : valueFromASTUntyped(value, variables);
  return typeof given === 'string' ? filterWeight(given) : whereWeight(given);
}

const CONDITIONS = /(?:filter|where)$/i;

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
  const size = asksFor(name.value, given);
  if (size === undefined) return undefined;
  return size < 0 || Number.isNaN(size) ? UNLIMITED_PAGE : size;
}

/** A filter may limit its list itself. */
function asksFor(name: string, given: unknown): number | undefined {
  if (name === 'filter') return typeof given === 'string' ? filterLimit(given) : undefined;
  return ['first', 'last', 'limit'].includes(name) ? Number(given) : undefined;
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

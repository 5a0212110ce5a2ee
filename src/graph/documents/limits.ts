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
import { DEFAULT_NODES, MAX_EDGES, MAX_NODES } from '../../access/analysis/index.js';
import { failure } from '../../base/errors.js';
import { MAX_ROWS } from '../../kernel/read/reader.js';
import { filterLimit, filterWeight, whereWeight } from './filter-weight.js';

/*
 * Limits of a document, checked on its text: before it is validated or executed, so that a refusal
 * costs little. The numbers leave room for introspection and for wide dashboards.
 *
 * Own code, because the rules of `graphql-armor` 3.2.0 run inside validation: a fragment with one
 * field 480 times is compared for 100 ms before they refuse anything. They check each operation
 * separately, count a page with a variable size or without a size as one row, and ignore filters,
 * values of variables, the length of a text and the number of operations.
 */
export const MAX_TOKENS = 2_000;
/** In characters; comments and texts are no more than a token each. */
export const MAX_LENGTH = 128 * 1024;
/** Levels of fields within each other. */
export const MAX_DEPTH = 16;
const MAX_ALIASES = 100;
const MAX_COST = MAX_ROWS;
const DEFAULT_PAGE = 25;
export const UNLIMITED_PAGE = 500;

/** The fields that make a map of the network, which takes some hundred milliseconds at most. */
const MAPS: ReadonlySet<string> = new Set(['accessMap', 'accessMapClass']);
const COST_OF_MAP = 10_000;

const COST_OF_META_FIELD = 3;
/** The usual number of these in an introspection answer, for each object around them. */
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
   * The greatest number of fields in the answer: one per field, times the sizes of the pages around
   * it; fifty for each condition of a list, and a thousand more for one on linked rows; and the
   * making of maps of the network.
   */
  readonly cost: number;
  readonly depth: number;
  readonly aliases: number;
  /** Whether it asks about the schema, which is answered without a pause for other requests. */
  readonly isAboutSchema: boolean;
}

type Variables = Readonly<Record<string, unknown>>;

/** The weight of a selection, with the parts of its cost that repeat in a page or a map. */
interface SetWeight extends Weight {
  readonly isPage: boolean;
  readonly nodesCost: number;
  readonly edgesCost: number;
}

const NOTHING: SetWeight = {
  cost: 0,
  depth: 0,
  aliases: 0,
  isAboutSchema: false,
  isPage: false,
  nodesCost: 0,
  edgesCost: 0,
};

const sumOf = (a: SetWeight, b: SetWeight): SetWeight => ({
  cost: a.cost + b.cost,
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
  isAboutSchema: a.isAboutSchema || b.isAboutSchema,
  isPage: a.isPage || b.isPage,
  nodesCost: a.nodesCost + b.nodesCost,
  edgesCost: a.edgesCost + b.edgesCost,
});

const META_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type']);

const repeatedCosts = (name: string, cost: number): Pick<SetWeight, 'nodesCost' | 'edgesCost'> => ({
  nodesCost: name === 'nodes' ? cost : 0,
  edgesCost: name === 'edges' ? cost : 0,
});

/** Weighs a document, in time linear to its length, fragments included. */
export function weigh(document: DocumentNode, values: Variables): Weight {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const d of document.definitions) {
    if (d.kind === Kind.FRAGMENT_DEFINITION) fragments.set(d.name.value, d);
  }
  const variables = { ...defaultsOf(document), ...values };
  const weights = new Map<string, SetWeight>();
  const ofFragment = (name: string): SetWeight => {
    const cachedWeight = weights.get(name);
    if (cachedWeight) return cachedWeight;
    // A circular fragment weighs nothing here; validation refuses it.
    weights.set(name, NOTHING);
    const definition = fragments.get(name);
    const weight = definition ? ofSet(definition.selectionSet, isMetaType(definition)) : NOTHING;
    weights.set(name, weight);
    return weight;
  };
  const ofField = (field: FieldNode, isWithinMeta: boolean): SetWeight => {
    const name = field.name.value;
    const isMeta = isWithinMeta || META_FIELDS.has(name);
    const nestedWeight = field.selectionSet ? ofSet(field.selectionSet, isMeta) : NOTHING;
    const cost = isMeta
      ? COST_OF_META_FIELD + Math.ceil(nestedWeight.cost * (META_SIZES.get(name) ?? 1))
      : costOf(field, nestedWeight, variables);
    return {
      cost,
      depth: 1 + nestedWeight.depth,
      aliases: nestedWeight.aliases + (field.alias ? 1 : 0),
      isAboutSchema: isMeta || nestedWeight.isAboutSchema,
      isPage: name === 'nodes' || name === 'edges',
      ...repeatedCosts(name, cost),
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
      .reduce(sumOf, NOTHING);
  return document.definitions
    .map((d) => (d.kind === Kind.OPERATION_DEFINITION ? ofSet(d.selectionSet, false) : NOTHING))
    .reduce(sumOf, NOTHING);
}

const isMetaType = ({ typeCondition }: FragmentDefinitionNode): boolean =>
  typeCondition.name.value.startsWith('__');

function costOf(field: FieldNode, nestedWeight: SetWeight, variables: Variables): number {
  const args = field.arguments ?? [];
  const conditions = args.reduce((sum, arg) => sum + conditionsIn(arg, variables), 0);
  if (MAPS.has(field.name.value)) return 1 + conditions + costOfMap(nestedWeight, args, variables);
  return 1 + conditions + nestedWeight.cost * (nestedWeight.isPage ? pageSize(args, variables) : 1);
}

/** A map has as many nodes as asked for, and at most one edge between two of them in each state. */
function costOfMap(
  { cost, nodesCost, edgesCost }: SetWeight,
  args: readonly ArgumentNode[],
  variables: Variables,
): number {
  const argument = args.find(({ name }) => name.value === 'maxNodes');
  const size = Number((argument && valueOf(argument.value, variables)) ?? DEFAULT_NODES);
  const nodes = size >= 1 && size <= MAX_NODES ? size : MAX_NODES;
  const edges = Math.min(MAX_EDGES, nodes * nodes);
  return COST_OF_MAP + cost + nodesCost * (nodes - 1) + edgesCost * (edges - 1);
}

/** Gives the cost of the conditions in an argument, a text or an input. */
function conditionsIn({ name, value }: ArgumentNode, variables: Variables): number {
  if (!CONDITIONS.test(name.value)) return 0;
  const conditions =
    value.kind === Kind.VARIABLE
      ? variables[value.name.value]
      : valueFromASTUntyped(value, variables);
  return typeof conditions === 'string' ? filterWeight(conditions) : whereWeight(conditions);
}

const CONDITIONS = /(?:filter|where)$/i;

/** Gives the default values of variables that are scalars: page sizes are. */
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

/** Gives the page size that an argument sets. */
function sizeBy({ name, value }: ArgumentNode, variables: Variables): number | undefined {
  const argumentValue = valueOf(value, variables);
  if (argumentValue === undefined || argumentValue === null) return undefined;
  const size = requestedSize(name.value, argumentValue);
  if (size === undefined) return undefined;
  return size < 0 || Number.isNaN(size) ? UNLIMITED_PAGE : size;
}

/** A filter may set the limit of its list itself. */
function requestedSize(name: string, argumentValue: unknown): number | undefined {
  if (name === 'filter')
    return typeof argumentValue === 'string' ? filterLimit(argumentValue) : undefined;
  return ['first', 'last', 'limit'].includes(name) ? Number(argumentValue) : undefined;
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
  for (const [limitName, actual, most] of limits) {
    if (actual > most) {
      throw failure(
        'QUERY_TOO_COMPLEX',
        `the ${limitName} is ${String(actual)}, at most ${String(most)} is allowed`,
      );
    }
  }
}

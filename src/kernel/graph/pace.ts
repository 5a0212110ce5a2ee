import {
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { Extensions } from 'type-graphql';

/*
 * The urgency of an operation is declared in the schema. GraphQL and REST read it before they run a
 * document.
 */

/** The queue of an operation while all request slots are occupied; `first` goes before all others. */
export type Lane = 'first' | 'ordinary' | 'background';

export interface Pace {
  readonly lane: Lane;
  /** The time limit of requests does not apply. */
  readonly isLong?: boolean;
  /** Its cost in a document beyond that of its fields. */
  readonly cost?: number;
  /** The cost of each entry of a list that it takes, by the name of the argument. */
  readonly entryCost?: Readonly<Record<string, number>>;
}

/**
 * The cost of an operation that compares the access of all identities. Clients read long lists of its
 * answer in pages, each of which repeats it.
 */
export const ANALYSIS_COST = 5_000;

/** The cost of looking for the findings of a network. */
export const FINDINGS_COST = 10_000;

/** Of an operation that makes or rehearses a list of changes: the cost of each. */
export const EACH_CHANGE = { changes: 50 } as const;

/** The cost of the simulation of an import, whose time has no limit. Clients repeat it as well. */
export const IMPORT_SIMULATION_COST = 25_000;

/** The cost of an import or export of a network, whose time has no limit. */
export const NETWORK_COST = 100_000;

const ORDINARY: Pace = { lane: 'ordinary' };

/**
 * Declares the pace of a query, a mutation or a field of what a query gives; without it the operation
 * is an ordinary one.
 */
export const Runs =
  (pace: Pace) =>
  (prototype: object, name: string): void => {
    Extensions({ pace })(prototype, name, {});
  };

/**
 * The pace of a document: as urgent as the least urgent of its root fields, and of the fields
 * directly below them.
 */
export function paceOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
): Pace {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!root) return ORDINARY;
  const paces = operationPaces(operation, document, root).map(({ pace }) => pace);
  const isLong = paces.some((pace) => pace.isLong);
  if (paces.some(({ lane }) => lane === 'background')) return { lane: 'background', isLong };
  return paces.length > 0 && paces.every(({ lane }) => lane === 'first')
    ? { lane: 'first', isLong }
    : ORDINARY;
}

/** The declared costs of all root fields of a document, and of the fields directly below them. */
export const declaredCost = (
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>> = {},
): number =>
  document.definitions
    .flatMap((definition) => {
      const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
      const root = isOperation ? schema.getRootType(definition.operation) : undefined;
      return isOperation && root ? operationPaces(definition, document, root) : [];
    })
    .reduce(
      (sum, { pace, node }) => sum + (pace.cost ?? 0) + costOfEntries(pace, node, variables),
      0,
    );

function costOfEntries(
  { entryCost = {} }: Pace,
  { arguments: args = [] }: FieldNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  return args.reduce(
    (sum, { name, value }) => sum + (entryCost[name.value] ?? 0) * lengthOf(value, variables),
    0,
  );
}

function lengthOf(value: ValueNode, variables: Readonly<Record<string, unknown>>): number {
  if (value.kind === Kind.LIST) return value.values.length;
  const list = value.kind === Kind.VARIABLE ? variables[value.name.value] : undefined;
  return Array.isArray(list) ? list.length : 0;
}

/** A field of a document that may declare a pace. */
interface PacedField {
  readonly pace: Pace;
  readonly node: FieldNode;
}

const operationPaces = (
  { selectionSet }: OperationDefinitionNode,
  document: DocumentNode,
  root: GraphQLObjectType,
): PacedField[] =>
  fieldsIn(selectionSet, document).flatMap((node) =>
    pacesOf(root.getFields()[node.name.value], node, document),
  );

/** The pace of a root field, and those of the fields below it that declare one. */
function pacesOf(
  field: Field | undefined,
  node: FieldNode,
  document: DocumentNode,
): readonly PacedField[] {
  const { selectionSet } = node;
  const own = { pace: paceOfField(field) ?? ORDINARY, node };
  const type = field && getNamedType(field.type);
  if (!selectionSet || !isObjectType(type) || !hasPacedFields(type)) return [own];
  const below = fieldsIn(selectionSet, document).flatMap((nested) => {
    const pace = paceOfField(type.getFields()[nested.name.value]);
    return pace ? [{ pace, node: nested }] : [];
  });
  return [own, ...below];
}

type Field = GraphQLField<unknown, unknown>;

const paceOfField = (field: Field | undefined): Pace | undefined =>
  field?.extensions.pace as Pace | undefined;

const paced = new WeakMap<GraphQLObjectType, boolean>();

function hasPacedFields(type: GraphQLObjectType): boolean {
  const isPaced =
    paced.get(type) ?? Object.values(type.getFields()).some((field) => paceOfField(field));
  paced.set(type, isPaced);
  return isPaced;
}

/** The names of all root fields. */
export const rootFields = (set: SelectionSetNode, document: DocumentNode): string[] =>
  fieldsIn(set, document).map(({ name }) => name.value);

/**
 * The fields of a selection. Each fragment is visited once: a fragment can contain itself until
 * the validation refuses it.
 */
function fieldsIn(set: SelectionSetNode, document: DocumentNode): FieldNode[] {
  const fields: FieldNode[] = [];
  const visited = new Set<string>();
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) fields.push(node);
      else if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet);
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value);
        const fragment = fragmentOf(document, node.name.value);
        if (fragment) visit(fragment.selectionSet);
      }
    }
  };
  visit(set);
  return fields;
}

const fragmentOf = (
  { definitions }: DocumentNode,
  name: string,
): FragmentDefinitionNode | undefined =>
  definitions.find(
    (d): d is FragmentDefinitionNode =>
      d.kind === Kind.FRAGMENT_DEFINITION && d.name.value === name,
  );

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
}

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
  const paces = operationPaces(operation, document, root);
  const isLong = paces.some((pace) => pace.isLong);
  if (paces.some(({ lane }) => lane === 'background')) return { lane: 'background', isLong };
  return paces.length > 0 && paces.every(({ lane }) => lane === 'first')
    ? { lane: 'first', isLong }
    : ORDINARY;
}

/** The declared costs of all root fields of a document. */
export const declaredCost = (schema: GraphQLSchema, document: DocumentNode): number =>
  document.definitions
    .flatMap((definition) => {
      const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
      const root = isOperation ? schema.getRootType(definition.operation) : undefined;
      return isOperation && root ? operationPaces(definition, document, root) : [];
    })
    .reduce((sum, { cost = 0 }) => sum + cost, 0);

const operationPaces = (
  { selectionSet }: OperationDefinitionNode,
  document: DocumentNode,
  root: GraphQLObjectType,
): Pace[] =>
  fieldsIn(selectionSet, document).flatMap((node) =>
    pacesOf(root.getFields()[node.name.value], node, document),
  );

/** The pace of a root field, and those of the fields below it that declare one. */
function pacesOf(
  field: Field | undefined,
  { selectionSet }: FieldNode,
  document: DocumentNode,
): readonly Pace[] {
  const own = paceOfField(field) ?? ORDINARY;
  const type = field && getNamedType(field.type);
  if (!selectionSet || !isObjectType(type) || !hasPacedFields(type)) return [own];
  const below = fieldsIn(selectionSet, document).flatMap(
    ({ name }) => paceOfField(type.getFields()[name.value]) ?? [],
  );
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

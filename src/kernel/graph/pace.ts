import {
  getOperationAST,
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
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
}

const ORDINARY: Pace = { lane: 'ordinary' };

/** Declares the pace of a query or a mutation; without it the operation is an ordinary one. */
export const Runs =
  (pace: Pace) =>
  (prototype: object, name: string): void => {
    Extensions({ pace })(prototype, name, {});
  };

/** The pace of a document: as urgent as the least urgent of its root fields. */
export function paceOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
): Pace {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!root) return ORDINARY;
  const fields = root.getFields();
  const paces = rootFields(operation.selectionSet, document).map(
    (name) => (fields[name]?.extensions.pace as Pace | undefined) ?? ORDINARY,
  );
  const isLong = paces.some((pace) => pace.isLong);
  if (paces.some(({ lane }) => lane === 'background')) return { lane: 'background', isLong };
  return paces.length > 0 && paces.every(({ lane }) => lane === 'first')
    ? { lane: 'first', isLong }
    : ORDINARY;
}

/**
 * The names of all root fields. Each fragment is visited once: a fragment can contain itself until
 * the validation refuses it.
 */
export function rootFields(set: SelectionSetNode, document: DocumentNode): string[] {
  const names: string[] = [];
  const visited = new Set<string>();
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) names.push(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet);
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value);
        const fragment = fragmentOf(document, node.name.value);
        if (fragment) visit(fragment.selectionSet);
      }
    }
  };
  visit(set);
  return names;
}

const fragmentOf = (
  { definitions }: DocumentNode,
  name: string,
): FragmentDefinitionNode | undefined =>
  definitions.find(
    (d): d is FragmentDefinitionNode =>
      d.kind === Kind.FRAGMENT_DEFINITION && d.name.value === name,
  );

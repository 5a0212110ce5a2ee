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
 * How urgent an operation is, declared with it in the schema; both doors read it from there, before
 * they run a document.
 */

/** Who gets the next free place when all are taken, the first before all others. */
export type Lane = 'first' | 'ordinary' | 'background';

export interface Pace {
  readonly lane: Lane;
  /** It may take longer than a request otherwise may. */
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
  const declared = root.getFields();
  const paces = rootFields(operation.selectionSet, document).map(
    (name) => (declared[name]?.extensions.pace as Pace | undefined) ?? ORDINARY,
  );
  const isLong = paces.some((pace) => pace.isLong);
  if (paces.some(({ lane }) => lane === 'background')) return { lane: 'background', isLong };
  return paces.length > 0 && paces.every(({ lane }) => lane === 'first')
    ? { lane: 'first', isLong }
    : ORDINARY;
}

/**
 * The names of all root fields. Each fragment is followed once: those that lead back to themselves,
 * which only the validation refuses, would be followed without end.
 */
export function rootFields(set: SelectionSetNode, document: DocumentNode): string[] {
  const names: string[] = [];
  const followed = new Set<string>();
  const follow = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) names.push(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) follow(node.selectionSet);
      else if (!followed.has(node.name.value)) {
        followed.add(node.name.value);
        const fragment = fragmentOf(document, node.name.value);
        if (fragment) follow(fragment.selectionSet);
      }
    }
  };
  follow(set);
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

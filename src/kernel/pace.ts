import {
  getOperationAST,
  Kind,
  type DocumentNode,
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

function rootFields(
  { selections }: SelectionSetNode,
  document: DocumentNode,
  within: readonly string[] = [],
): string[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node.name.value];
    if (node.kind === Kind.INLINE_FRAGMENT) return rootFields(node.selectionSet, document, within);
    const name = node.name.value;
    const fragment = document.definitions.find(
      (d) => d.kind === Kind.FRAGMENT_DEFINITION && d.name.value === name,
    );
    // One that leads back to itself is refused by the validation.
    return fragment?.kind === Kind.FRAGMENT_DEFINITION && !within.includes(name)
      ? rootFields(fragment.selectionSet, document, [...within, name])
      : [];
  });
}

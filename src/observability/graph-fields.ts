import type { IncomingMessage } from 'node:http';
import { getOperationAST, Kind, type DocumentNode, type SelectionSetNode } from 'graphql';
import { describeRequest } from './request-note.js';

const MOST_NAMES = 10;
const LONGEST_NAME = 64;

/** Notes what a valid document asks: names of the schema and of the document, no values. */
export function describeDocument(
  request: IncomingMessage,
  document: DocumentNode,
  operationName: string | undefined,
): void {
  const operation = getOperationAST(document, operationName);
  if (!operation) return;
  const names = [...new Set(rootFields(document, operation.selectionSet))];
  const [first = 'none', ...others] = names;
  describeRequest(request, {
    // A combination is no name of its own: there are too many.
    operation: others.length === 0 ? first : 'several',
    ...(others.length === 0 ? {} : { fields: names.slice(0, MOST_NAMES) }),
    ...(operation.name ? { name: operation.name.value.slice(0, LONGEST_NAME) } : {}),
  });
}

/** Validation has refused fragments that contain themselves. */
function rootFields(document: DocumentNode, { selections }: SelectionSetNode): string[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return node.name.value;
    if (node.kind === Kind.INLINE_FRAGMENT) return rootFields(document, node.selectionSet);
    const fragment = document.definitions.find(
      (d) => d.kind === Kind.FRAGMENT_DEFINITION && d.name.value === node.name.value,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION
      ? rootFields(document, fragment.selectionSet)
      : [];
  });
}

import type { IncomingMessage } from 'node:http';
import { getOperationAST, type DocumentNode } from 'graphql';
import { rootFields } from '../kernel/graph/pace.js';
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
  const names = [...new Set(rootFields(operation.selectionSet, document))];
  const [first = 'none', ...others] = names;
  describeRequest(request, {
    // A combination is no name of its own: there are too many.
    operation: others.length === 0 ? first : 'several',
    ...(others.length === 0 ? {} : { fields: names.slice(0, MOST_NAMES) }),
    ...(operation.name ? { name: operation.name.value.slice(0, LONGEST_NAME) } : {}),
  });
}

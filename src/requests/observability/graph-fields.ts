import type { IncomingMessage } from 'node:http';
import { getOperationAST, type DocumentNode } from 'graphql';
import { rootFields } from '../../kernel/graph/pace.js';
import { describeRequest } from './request-note.js';

const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 64;

/** Adds the operation of a valid document to the note of the request: names, no values. */
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
    // Combinations share one name, since there are too many of them.
    operation: others.length === 0 ? first : 'several',
    ...(others.length === 0 ? {} : { fields: names.slice(0, MAX_NAMES) }),
    ...(operation.name ? { name: operation.name.value.slice(0, MAX_NAME_LENGTH) } : {}),
  });
}

import type { Operation } from '../emitted/operations.js';
import { bodyOf } from './client.js';
import { commandFault } from './command-error.js';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The path that takes whole networks. */
export const IMPORT_PATH = '/graphql/import';

/** Ends the command before it sends in vain what the controller would refuse. */
export function refuseTooLarge<Variables>(
  file: string,
  operation: Operation<unknown, Variables>,
  variables: Variables,
): void {
  const size = Buffer.byteLength(bodyOf(operation, variables));
  if (size <= MAX_BODY_BYTES) return;
  const megabytes = (size / 1024 / 1024).toFixed(1);
  throw commandFault(`${file} is ${megabytes} MiB as JSON, 64 MiB are allowed`);
}

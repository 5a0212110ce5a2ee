import { Subscriptions } from '../../src/graph/index.js';
import type { InProcess } from './in-process.js';
import { admissionOf } from './unlimited.js';

/** The subscriptions of a controller in the test's process; unexpected errors go to `onUnexpected`. */
export function subscriptionsOf(
  controller: InProcess,
  onUnexpected: (error: unknown) => void,
): Subscriptions {
  const { contexts, executor, store } = controller.parts;
  const admission = admissionOf(controller);
  return new Subscriptions({ schema: executor.schema, contexts, store, admission, onUnexpected });
}

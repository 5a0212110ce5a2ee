import { failedAnswer, NO_ANSWER_IN_TIME, type NodeAnswer } from '../presence/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import { messages } from '../messages/index.js';

/** Below the time for which the asking process waits. */
const PATIENCE_MILLIS = 4_000;

/** Asks a router for values by name; it leaves out those that it does not know. */
export async function inspectRouter(
  router: ConnectedRouter,
  names: readonly string[],
): Promise<NodeAnswer> {
  const request = { requestedValues: names };
  const frame = await router.ask(
    CONTENT.inspect,
    messages.InspectRequest,
    request,
    PATIENCE_MILLIS,
  );
  if (!frame) return NO_ANSWER_IN_TIME;
  const { success, errors, values } = messages.InspectResponse.decode(frame.body);
  return success || errors.length > 0 ? { errors, values } : failedAnswer('it could not answer');
}

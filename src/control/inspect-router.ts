import type { NodeAnswer } from '../presence/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import { messages } from './emitted/messages.js';

/** Below the time for which the asking process waits. */
const PATIENCE_MILLIS = 4_000;

const failed = (error: string): NodeAnswer => ({ errors: [error], values: [] });

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
  if (!frame) return failed('it did not answer in time');
  const { success, errors, values } = messages.InspectResponse.decode(frame.body);
  return { errors: success || errors.length > 0 ? errors : ['it could not answer'], values };
}

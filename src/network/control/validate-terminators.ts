import type { Fabric } from '../fabric/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import { messages } from '../messages/index.js';

const PAGE = 500;
/** Longer than a router takes at most. */
const ANSWER_MILLIS = 40_000;

/**
 * Asks a router that has connected which of its stored terminators it still has, and removes the
 * others. The router does not announce those again that it was asked for.
 */
export async function validateTerminators(
  { bindings }: Fabric,
  router: ConnectedRouter,
): Promise<void> {
  const hosted = await bindings.hostedAt(router.id);
  for (let from = 0; from < hosted.length; from += PAGE) {
    const page = hosted.slice(from, from + PAGE);
    const answer = await router.ask(
      CONTENT.validateTerminators,
      messages.ValidateTerminatorsV2Request,
      {
        terminators: page.map(({ revision, ...terminator }) => ({
          ...terminator,
          marker: revision,
        })),
        fixInvalid: true,
      },
      ANSWER_MILLIS,
    );
    if (!answer) return;
    const { states } = messages.ValidateTerminatorsV2Response.decode(answer.body);
    const invalid = page.filter(({ id }) => states[id]?.valid === false);
    await bindings.removeInvalid(router.id, invalid);
  }
}

import type { Codec } from '../messages/index.js';
import { ValidationFault } from '../validation/index.js';
import type { ConnectedRouter } from './connected-router.js';
import type { Frame } from './frame.js';

/**
 * Reads what a router has answered.
 * @throws ValidationFault when no answer came, or none that can be read
 */
export function answerOfRouter<T>(
  { channel }: ConnectedRouter,
  frame: Frame | undefined,
  codec: Codec<T>,
): T {
  if (!frame) {
    throw new ValidationFault(
      channel.isOpen ? 'it did not answer in time' : 'it has left meanwhile',
    );
  }
  try {
    return codec.decode(frame.body);
  } catch {
    throw new ValidationFault('its answer can not be read');
  }
}

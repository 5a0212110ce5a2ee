import type { ConnectedRouter } from './connected-router.js';
import type { Frame } from './frame.js';
import { errorOf } from './refusals.js';

export { ERROR } from './refusals.js';

/** Answers a request with an error. */
export function refuse(
  { channel }: ConnectedRouter,
  frame: Frame,
  code: number,
  text: string,
  circuitId?: string,
): void {
  const { type, body, headers } = errorOf(code, text, circuitId);
  channel.answer(frame, type, body, headers);
}

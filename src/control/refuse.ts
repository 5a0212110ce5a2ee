import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import type { Frame } from './frame.js';
import { textValue, uint32Value } from './header-values.js';

/** Codes of errors, by which SDKs decide what to do. */
export const ERROR = {
  internal: 1,
  invalidApiSession: 2,
  invalidSession: 3,
  wrongSessionType: 4,
  invalidRouter: 5,
  invalidService: 6,
  tunnelingNotEnabled: 7,
  invalidTerminator: 8,
  encryptionDataMissing: 11,
} as const;

const ERROR_HEADER = { code: 1014, circuitId: 1026 } as const;

/** Answers a request with an error. */
export function refuse(
  { channel }: ConnectedRouter,
  frame: Frame,
  code: number,
  text: string,
  circuitId?: string,
): void {
  const headers = new Map<number, Buffer>([[ERROR_HEADER.code, uint32Value(code)]]);
  if (circuitId !== undefined) headers.set(ERROR_HEADER.circuitId, textValue(circuitId));
  channel.answer(frame, CONTENT.error, textValue(text), headers);
}

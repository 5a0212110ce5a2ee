import { HEADER } from './content-types.js';
import type { Frame } from './frame.js';
import { uint32Value } from './header-values.js';

/** Answers name the frame; those to a probe repeat the headers of routers from 128 to 255. */
export function answerHeaders({ sequence, headers }: Frame): [number, Buffer][] {
  const reflected = [...headers].filter(([key]) => key >= 128 && key <= 255);
  return [[HEADER.replyFor, uint32Value(sequence)], ...reflected];
}

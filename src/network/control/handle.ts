import type { Codec } from '../messages/index.js';
import type { FrameHandler } from './control-channel.js';
import type { Frame } from './frame.js';

/** Makes the handler of the frames of one type, whose bodies are messages. */
export const handle = <T>(
  type: number,
  codec: Codec<T>,
  work: (message: T, frame: Frame) => Promise<void> | void,
): [number, FrameHandler] => [type, (frame) => work(codec.decode(frame.body), frame)];

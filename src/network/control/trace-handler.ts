import { parseJson } from '../../base/json-text.js';
import { isObject } from '../../base/row.js';
import { messages, type ChannelTrace } from '../messages/index.js';
import { CONTENT } from './content-types.js';
import type { FrameHandler } from './control-channel.js';

export interface TraceHandlerOptions {
  /** Whether any client streams traces. */
  readonly areWanted: () => boolean;
  readonly onTrace: (trace: ChannelTrace) => void;
  readonly now: () => Date;
}

/** A router that carries traffic may trace more: the others are dropped. */
export const MAX_TRACES_A_SECOND = 2_000;
const MAX_BODY_BYTES = 16 * 1024;
const SECOND_MILLIS = 1_000;

/** Makes the handler of the traces of one router. */
export function traceHandler(options: TraceHandlerOptions): [number, FrameHandler] {
  let second = 0;
  let count = 0;
  const isTooMany = (): boolean => {
    const current = Math.floor(options.now().getTime() / SECOND_MILLIS);
    count = current === second ? count + 1 : 1;
    second = current;
    return count > MAX_TRACES_A_SECOND;
  };
  return [
    CONTENT.trace,
    ({ body }) => {
      if (!options.areWanted() || body.length > MAX_BODY_BYTES || isTooMany()) return;
      options.onTrace(readableTrace(messages.ChannelTrace.decode(body)));
    },
  ];
}

const NOTHING = Buffer.alloc(0);

/** The command line ends at a description that is no JSON object, not at one that is missing. */
function readableTrace(trace: ChannelTrace): ChannelTrace {
  return isJsonObject(trace.decode.toString()) ? trace : { ...trace, decode: NOTHING };
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(parseJson(text, { anyText: true }));
  } catch {
    return false;
  }
}

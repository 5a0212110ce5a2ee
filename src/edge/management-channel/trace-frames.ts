import { traceSubscription, type Subscription } from '../../network/events/index.js';
import { messages, type ChannelTrace } from '../../network/messages/index.js';

/**
 * Reads a request for traces.
 * @throws Error for a body that is no such request
 */
export const readTracesRequest = (body: Buffer): Subscription =>
  traceSubscription(messages.StreamTracesRequest.decode(body));

/** The body of the frame for a trace that comes as an event. */
export function traceBody(text: string): Buffer {
  const { decode, ...trace } = JSON.parse(text) as Omit<ChannelTrace, 'decode'> & {
    readonly decode: string;
  };
  return messages.ChannelTrace.encode({ ...trace, decode: Buffer.from(decode) });
}

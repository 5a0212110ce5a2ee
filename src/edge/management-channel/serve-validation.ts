import type { ExecutionResult } from 'graphql';
import { failure } from '../../base/errors.js';
import type { GraphQuery, Results } from '../../graph/index.js';
import { messages } from '../../network/messages/index.js';
import type { ValidationRequest, ValidationResultOfGraph } from './validation-request.js';

/** The part of a connection that a validation uses. */
export interface ValidationChannel {
  readonly start: (query: GraphQuery) => Promise<Results>;
  /** Sends the frame that answers the request. */
  readonly answer: (type: number, body: Buffer) => Promise<void>;
  /** Sends a frame that follows. */
  readonly tell: (type: number, body: Buffer) => Promise<void>;
  /** The text for operators of an error that refuses the request. */
  readonly textOf: (error: unknown) => string;
  /** Ends the connection: its client counts results, and would wait for the missing ones. */
  readonly abort: () => void;
}

/** Serves a request to validate: its answer has the number of results, which follow as they come. */
export async function serveValidation(
  request: ValidationRequest,
  channel: ValidationChannel,
): Promise<void> {
  const results = await begin(request, channel);
  if (!results) return;
  try {
    for await (const event of results) {
      const { result } = eventIn(request, event);
      if (result) await channel.tell(request.resultType, request.encode(result));
    }
  } catch {
    channel.abort();
  }
}

/** Answers the request; gives the results, unless it is refused. */
async function begin(
  request: ValidationRequest,
  channel: ValidationChannel,
): Promise<Results | undefined> {
  const { ValidateRoutersResponse } = messages;
  try {
    const results = await channel.start(request.query);
    const first = await results.next();
    const { count } = eventIn(request, first.value);
    const body = ValidateRoutersResponse.encode({ success: true, count });
    await channel.answer(request.responseType, body);
    return results;
  } catch (error) {
    const message = channel.textOf(error);
    await channel.answer(request.responseType, ValidateRoutersResponse.encode({ message }));
    return undefined;
  }
}

interface ValidationEvent {
  readonly count: number;
  readonly result: ValidationResultOfGraph | null;
}

/** @throws ApiError with the text of the error of an event, or when there is no event */
function eventIn(
  { field }: ValidationRequest,
  event: ExecutionResult | undefined,
): ValidationEvent {
  const [error] = event?.errors ?? [];
  if (error) throw failure('UNAVAILABLE', error.message);
  const value = event?.data?.[field];
  if (!value) throw failure('UNAVAILABLE');
  return value as ValidationEvent;
}

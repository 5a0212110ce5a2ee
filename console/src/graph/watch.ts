import { checkSession } from './ask.js';
import { Failure, unreachable, type GraphError } from './failure.js';
import type { Operation } from './operation.js';
import { currentSession } from './session.js';

/** Subscriptions come as a stream of events, so that the token goes into a header, too. */
const STREAM = '/graphql/stream';

interface Event {
  readonly data?: unknown;
  readonly errors?: readonly GraphError[];
}

export interface Watcher<Result> {
  readonly next: (result: Result) => void;
  /** Called when the subscription has begun: what happens from now on is told to `next`. */
  readonly begun: () => void;
}

/**
 * Follows a subscription until it ends or is aborted. Own code: TanStack Query follows no
 * streams, and the client of `graphql-sse` 2.6.1 begins none again that a controller has completed at its end.
 * @throws Failure when it is refused or breaks
 */
export async function watch<Result, Variables>(
  { name, text }: Operation<Result, Variables>,
  variables: Variables,
  { next, begun }: Watcher<Result>,
  signal: AbortSignal,
): Promise<void> {
  const { token } = currentSession();
  const response = await fetch(STREAM, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(token === undefined ? {} : { 'zt-session': token }),
    },
    body: JSON.stringify({ query: text, variables, operationName: name }),
    cache: 'no-store',
    credentials: 'omit',
    signal,
  });
  if (response.status === 401 && token !== undefined) await checkSession(token);
  if (!response.ok || !response.body) throw unreachable();
  begun();
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (rest + part.value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const result = resultOf(block);
      if (result) next(result as Result);
    }
  }
}

/** A block is an event with its data, or a comment that keeps the connection open. */
function resultOf(block: string): unknown {
  const data = block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim())
    .join('\n');
  if (data === '') return undefined;
  const { data: result, errors } = JSON.parse(data) as Event;
  const [error] = errors ?? [];
  if (error) throw new Failure(error);
  return result;
}

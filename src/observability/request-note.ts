import type { IncomingMessage } from 'node:http';

/** Where a request came in. */
export type Door = 'client' | 'management' | 'graphql' | 'pages' | 'none';

/** What is known of a request while it runs. All of it is safe to log, and bounded in number. */
export interface RequestNote {
  /** Also in the header `x-request-id` and in errors. */
  readonly requestId: string;
  readonly method: string;
  /** Remote address without port. */
  readonly address: string;
  /** Milliseconds of the monotonic clock. */
  readonly beganAt: number;
  door: Door;
  /** Pattern of the path, never the path itself. */
  route: string;
  /** Operation of a REST row, or root field of the graph: one of a fixed set of names. */
  operation: string;
  /** All root fields of a document, where there are several. */
  fields?: readonly string[];
  /** Name that a client gave to its document. */
  name?: string;
  identityId?: string;
  /** How it ended, where the HTTP status does not tell: errors of the graph come with 200. */
  outcome?: number;
  /** Whether the answer has ended: what goes on afterwards is no part of the request. */
  isOver: boolean;
}

/*
 * On the request itself: an AsyncLocalStorage would find it without being handed the request, but
 * costs a hot read a tenth of its speed on Node 20.
 */
const NOTE = Symbol('note');

interface Noted {
  [NOTE]?: RequestNote;
}

export function attach(request: IncomingMessage, note: RequestNote): void {
  (request as Noted)[NOTE] = note;
}

/** Nothing where requests are not observed. */
export const noteOf = (request: object): RequestNote | undefined => (request as Noted)[NOTE];

/** Adds what a door learned of the request. */
export function describeRequest(
  request: object,
  facts: Partial<Omit<RequestNote, 'requestId' | 'method' | 'address' | 'beganAt' | 'isOver'>>,
): void {
  const note = noteOf(request);
  if (note) Object.assign(note, facts);
}

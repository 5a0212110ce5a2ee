import type { IncomingMessage } from 'node:http';

/** The entry point of a request. */
export type Door =
  'client' | 'management' | 'fabric' | 'graphql' | 'oidc' | 'scim' | 'devices' | 'pages' | 'none';

/** Facts about a running request. All are safe to log, and few values are possible for each. */
export interface RequestNote {
  /** Also in the header `x-request-id` and in errors. */
  readonly requestId: string;
  readonly method: string;
  /** Remote address without port. */
  readonly address: string;
  /** Milliseconds of the monotonic clock. */
  readonly beganAt: number;
  door: Door;
  /** The pattern of the path, never the path itself. */
  route: string;
  /** The operation of a REST row or the root field of the graph: one of a fixed set of names. */
  operation: string;
  /** All root fields of a document, if it has several. */
  fields?: readonly string[];
  /** The client's name for its document. */
  name?: string;
  identityId?: string;
  /** The status of the outcome, if the HTTP status differs: errors of the graph have HTTP 200. */
  outcome?: number;
  /** Whether the answer has ended; later work is not part of the request. */
  isOver: boolean;
}

/*
 * The note is stored on the request. An AsyncLocalStorage would be simpler to use, but makes a hot
 * read a tenth slower on Node 20.
 */
const NOTE = Symbol('note');

interface Noted {
  [NOTE]?: RequestNote;
}

export function attach(request: IncomingMessage, note: RequestNote): void {
  (request as Noted)[NOTE] = note;
}

/** The note of a request; undefined if requests are not observed. */
export const noteOf = (request: object): RequestNote | undefined => (request as Noted)[NOTE];

/** Adds facts to the note of a request. */
export function describeRequest(
  request: object,
  facts: Partial<Omit<RequestNote, 'requestId' | 'method' | 'address' | 'beganAt' | 'isOver'>>,
): void {
  const note = noteOf(request);
  if (note) Object.assign(note, facts);
}

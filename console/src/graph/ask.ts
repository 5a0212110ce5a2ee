import { CheckSession, IsThere } from '../emitted/operations.js';
import { noteAnswer, noteSilence } from './connection.js';
import { Failure, unreachable, type GraphError } from './failure.js';
import type { Operation } from './operation.js';
import { currentSession, sessionEnded } from './session.js';
import { texts } from '../texts.js';

/** The graph is all that the console speaks to, beside its own files. */
const GRAPH = '/graphql';

/** The same graph for operations with the document of a whole network. */
const IMPORT = '/graphql/import';

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** The JSON of the variable `document`, of an import, which may be large: it is sent as it is. */
  readonly document?: Blob;
  /** A JWT that proves the caller, for a login. */
  readonly bearer?: string;
  /** Whether the browser may send a client certificate. */
  readonly withCertificate?: boolean;
  /** The reason with which an administrator makes what access rules refuse. */
  readonly overrideReason?: string | undefined;
}

/** An answer may hold what could be read beside the errors of what could not. */
export interface Answer<Result> {
  readonly data: Result | undefined;
  readonly failures: readonly Failure[];
}

/** Asks the graph; throws the first error. */
export async function ask<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  options: AskOptions = {},
): Promise<Result> {
  const { data, failures } = await askPartly(operation, variables, options);
  const [first] = failures;
  if (first) throw first;
  if (data === undefined) throw unreachable();
  return data;
}

/** Asks the graph; gives the fields that answer, and the errors of the others. */
export async function askPartly<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  options: AskOptions = {},
): Promise<Answer<Result>> {
  const asked = currentSession().token;
  const answer = await send(operation, variables, asked, options);
  const failures = (answer.errors ?? []).map((error) => new Failure(error));
  const data = answer.data ?? undefined;
  if (!failures.some((failure) => failure.isUnauthorized) || asked === undefined) {
    return { data, failures };
  }
  await checkSession(asked);
  const { token, stage } = currentSession();
  const isRefused = token === asked && stage === 'open';
  return { data, failures: isRefused ? failures.map(inWords) : failures };
}

/** The session goes on, so the caller lacks a permission. The controller says the same of both. */
const inWords = (failure: Failure): Failure =>
  failure.isUnauthorized && failure.reason === undefined
    ? failure.saying(texts.failure.noPermission)
    : failure;

interface Sent<Result> {
  readonly data?: Result | null;
  readonly errors?: readonly GraphError[];
}

/** A document takes the place of all variables. */
function bodyOf<Result, Variables>(
  { name, text }: Operation<Result, Variables>,
  variables: Variables,
  document: Blob | undefined,
): BodyInit {
  const members = { query: text, operationName: name };
  if (!document) return JSON.stringify({ ...members, variables });
  const begin = JSON.stringify(members).slice(0, -1);
  return new Blob([`${begin},"variables":{"document":`, document, '}}']);
}

async function send<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  token: string | undefined,
  options: AskOptions,
): Promise<Sent<Result>> {
  const { signal, document } = options;
  const body = bodyOf(operation, variables, document);
  try {
    const response = await fetch(document ? IMPORT : GRAPH, {
      ...requestOf(token, options),
      method: 'POST',
      body,
      cache: 'no-store',
    });
    const answer = (await response.json()) as Sent<Result>;
    noteAnswer();
    return answer;
  } catch (fault) {
    if (signal?.aborted === true) throw fault;
    // A browser may break off the choice of a certificate.
    if (options.withCertificate !== true) noteSilence();
    throw unreachable();
  }
}

function requestOf(
  token: string | undefined,
  { signal, bearer, withCertificate = false, overrideReason }: AskOptions,
): RequestInit {
  return {
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { 'zt-session': token }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(overrideReason === undefined
        ? {}
        : { 'overgraph-override-reason': bytesOf(overrideReason) }),
    },
    // Client certificates are credentials, as cookies are (Fetch 2.2.5).
    credentials: withCertificate ? 'same-origin' : 'omit',
    ...(signal ? { signal } : {}),
  };
}

/** The bytes of UTF-8 as letters: headers have no others (Fetch 2.2.2). */
const bytesOf = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

/** A missing permission and an ended session have the same answer, so the session itself is asked. */
export async function checkSession(asked: string): Promise<void> {
  const answer = await send(CheckSession, {}, asked, {});
  const isUnknown = (answer.errors ?? []).some(
    (error) => error.extensions?.code === 'UNAUTHORIZED',
  );
  if (isUnknown && currentSession().token === asked) sessionEnded();
}

/** Notes and tells whether the controller answers. It is asked without the session, which ends by itself when unused. */
export async function lookForController(): Promise<boolean> {
  try {
    await send(IsThere, {}, undefined, {});
    return true;
  } catch {
    return false;
  }
}

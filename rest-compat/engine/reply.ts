import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { apiErrorOf } from '../../src/graph/index.js';
import type { JsonObject } from '../../src/base/row.js';
import { link } from '../../src/kernel/declare/rest.js';
import { dataEnvelope, listEnvelope, listEnvelopeInSlices } from './envelope.js';
import { CSV, csvLines, jsonLines } from './export-lines.js';
import { JSON_TYPE } from './reply-headers.js';
import type { Answer, Connection, RestRow } from './rest-row.js';
import type { SlicedList } from './sliced-list.js';

/** How the results of the graph become answers, and how answers are sent. */

export interface ReplyOptions {
  readonly filterableFields: (resource: string) => string;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

/** A body that is sent while it is read; `end` releases its resources. */
interface StreamedBody {
  readonly chunks: AsyncIterable<string>;
  readonly end: () => Promise<void>;
}

/** An answer: complete before the first byte is sent, except for the rows of long lists. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | StreamedBody;
}

type ListAnswer = Answer & { readonly kind: 'list' };

/** Streams an unlimited list; a list of one slice is sent like other answers. */
export async function inSlices(
  options: ReplyOptions,
  row: RestRow,
  shape: ListAnswer,
  list: SlicedList,
  requestId: string,
): Promise<Omit<Reply, 'headers'>> {
  if (list.isWhole) {
    await list.end();
    return success(options, row, JSON_TYPE, list.first);
  }
  const pageOf = (result: unknown): Connection => shape.page(result as never) ?? EMPTY_PAGE;
  const slices = nodesOf(options, shape, list, requestId, shape.view);
  return {
    status: row.status,
    contentType: JSON_TYPE,
    body: {
      chunks: listEnvelopeInSlices(slices, pageOf(list.first), fieldsOf(options, shape)),
      end: () => list.end(),
    },
  };
}

/** The list with the columns that the request wants. */
export const columnsFor = (shape: ListAnswer, variables: JsonObject): ListAnswer => {
  const columns = shape.columns?.filter(
    ({ onlyWith }) => onlyWith === undefined || variables[onlyWith] === true,
  );
  return columns ? { ...shape, columns } : shape;
};

/** Streams a whole list as lines. */
export function exported(
  options: ReplyOptions,
  row: RestRow,
  shape: ListAnswer,
  list: SlicedList,
  { contentType, requestId }: { readonly contentType: string; readonly requestId: string },
): Omit<Reply, 'headers'> {
  const unchanged = (node: never): never => node;
  const chunks =
    contentType === CSV
      ? csvLines(nodesOf(options, shape, list, requestId, unchanged), shape.columns ?? [])
      : jsonLines(nodesOf(options, shape, list, requestId, shape.view));
  return { status: row.status, contentType, body: { chunks, end: () => list.end() } };
}

/** Reads the nodes slice by slice. It reports unexpected errors, since the answer has begun. */
async function* nodesOf<T>(
  options: ReplyOptions,
  shape: ListAnswer,
  list: SlicedList,
  requestId: string,
  view: (node: never) => T,
): AsyncGenerator<T[]> {
  try {
    for await (const result of list.results()) {
      yield (shape.page(result as never) ?? EMPTY_PAGE).nodes.map(view);
    }
  } catch (error) {
    if (!apiErrorOf(error)) options.onUnexpected(error, requestId);
    throw error;
  }
}

const fieldsOf = (options: ReplyOptions, shape: ListAnswer): string =>
  shape.resource
    ? options.filterableFields(shape.resource.name)
    : JSON.stringify(shape.fields ?? []);

export function success(
  options: ReplyOptions,
  row: RestRow,
  contentType: string,
  result: unknown,
): Omit<Reply, 'headers'> {
  const json = (body: string): Omit<Reply, 'headers'> => ({
    status: row.status,
    contentType: JSON_TYPE,
    body,
  });
  const { answer: shape } = row;
  switch (shape.kind) {
    case 'empty':
      return json(dataEnvelope({}));
    case 'created': {
      const id = shape.id(result as never);
      const self = link(shape.self ?? `${shape.collection ?? ''}/${id}`);
      return json(dataEnvelope({ _links: { self }, id }));
    }
    case 'data':
      return json(dataEnvelope(shape.view(result as never)));
    case 'list': {
      const page = shape.page(result as never) ?? EMPTY_PAGE;
      const rows = page.nodes.map((node) => shape.view(node));
      return json(listEnvelope(rows, page, fieldsOf(options, shape)));
    }
    case 'raw':
      return {
        status: row.status,
        contentType,
        body: shape.view(result as never, contentType),
      };
  }
}

const EMPTY_PAGE: Connection = { nodes: [], pagination: { limit: 10, offset: 0, totalCount: 0 } };

/** Sends a reply; gives a promise if its body is streamed. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, contentType, body }: Reply,
): Promise<void> | undefined {
  // The rest of a refused body would be read as the next request.
  const unread = !request.readableEnded && Number(request.headers['content-length'] ?? 0) > 0;
  const chunked = !request.readableEnded && request.headers['transfer-encoding'] !== undefined;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (unread || chunked) response.setHeader('connection', 'close');
  response.setHeader('content-type', contentType);
  if (isAtOnce(body)) response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status);
  const sentBody = request.method === 'HEAD' ? '' : body;
  if (isAtOnce(sentBody)) {
    // A complete body is sent together with the head.
    response.end(sentBody);
    return endOf({ body });
  }
  return sendStream(response, sentBody);
}

async function sendStream(response: ServerResponse, { chunks, end }: StreamedBody): Promise<void> {
  // A failure now closes the connection: the status is already sent.
  await pipeline(chunks, response).catch(() => undefined);
  await end();
}

export const endOf = ({ body }: Pick<Reply, 'body'>): Promise<void> | undefined =>
  isAtOnce(body) ? undefined : body.end();

export const isAtOnce = (body: Reply['body']): body is string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body);

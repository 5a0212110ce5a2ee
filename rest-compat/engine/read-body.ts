import type { IncomingMessage } from 'node:http';
import { failure } from '../../src/base/errors.js';
import { parseJson } from '../../src/base/json-text.js';
import type { Body, RestRow } from './rest-row.js';

const LARGEST_BODY = 1024 * 1024;

/** Reads a body of at most 1 MiB; refuses a larger one before it is in memory. */
async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > LARGEST_BODY) throw failure('REQUEST_ENTITY_TOO_LARGE');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of sentBy(request)) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw failure('REQUEST_ENTITY_TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Converts the disconnect of a client within its body to a client error. */
async function* sentBy(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    // The answer needs the connection of a request whose body is not read to its end.
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw failure('COULD_NOT_PARSE_BODY', 'the body was not sent to its end');
  }
}

const mediaType = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** Content types of PEM texts. */
const TEXT_TYPES = new Set([
  '',
  'text/plain',
  'application/x-pem-file',
  'application/pkcs7',
  'application/pkcs10',
]);

/** The body as text or parsed JSON; undefined when there is none. */
export async function readBody(
  request: IncomingMessage,
  { body: declared, anyText = false }: RestRow,
): Promise<unknown> {
  const bytes = await readBytes(request);
  if (!declared || bytes.length === 0) return undefined;
  const text = bytes.toString('utf8');
  const type = mediaType(request);
  if (isText(declared, type)) return text;
  if (type !== '' && type !== 'application/json') {
    throw failure('UNSUPPORTED_MEDIA_TYPE', `content type ${type} is not supported`);
  }
  return parseJson(text, { anyText });
}

const isText = ({ kind }: Body, type: string): boolean =>
  kind === 'text' || (kind === 'any' && TEXT_TYPES.has(type));

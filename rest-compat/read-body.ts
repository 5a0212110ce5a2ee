import type { IncomingMessage } from 'node:http';
import { failure } from '../src/kernel/errors.js';
import type { Body } from './row.js';

const LARGEST_BODY = 1024 * 1024;

/** Reads a body of at most 1 MiB; a larger one is refused before it is held in memory. */
async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > LARGEST_BODY) throw failure('REQUEST_ENTITY_TOO_LARGE');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw failure('REQUEST_ENTITY_TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const mediaType = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** How clients say that a body is a PEM text. */
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
  declared: Body | undefined,
): Promise<unknown> {
  const bytes = await readBytes(request);
  if (!declared || bytes.length === 0) return undefined;
  const text = bytes.toString('utf8');
  const type = mediaType(request);
  if (isText(declared, type)) return text;
  if (type !== '' && type !== 'application/json') {
    throw failure('UNSUPPORTED_MEDIA_TYPE', `content type ${type} is not supported`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw failure('COULD_NOT_PARSE_BODY', unparsable(error));
  }
}

const isText = ({ kind }: Body, type: string): boolean =>
  kind === 'text' || (kind === 'any' && TEXT_TYPES.has(type));

/** The parser repeats what it stopped at, which may be a part of a password. */
function unparsable(error: unknown): string {
  const [place] = /at position \d+/.exec(error instanceof Error ? error.message : '') ?? [];
  return place === undefined ? 'the body is not JSON' : `the body is not JSON ${place}`;
}

import type { IncomingMessage } from 'node:http';
import { failure, invalidField, tooManyRequests, type ApiError } from '../../src/base/errors.js';
import { parseJson } from '../../src/base/json-text.js';
import type { RequestLimits } from '../../src/requests/limits/index.js';
import type { Body, RestRow } from './rest-row.js';

const MAX_BODY_BYTES = 1024 * 1024;

/** Reads a body of at most 1 MiB; refuses a larger one before it is in memory. */
export async function readBytes(
  request: IncomingMessage,
  limits: RequestLimits | undefined,
): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_BODY_BYTES) throw failure('REQUEST_ENTITY_TOO_LARGE');
  if (request.destroyed) throw brokenOff();
  const chunks: Buffer[] = [];
  let size = 0;
  const refusalAt = (before: number): ApiError | undefined => {
    if (size > MAX_BODY_BYTES) return failure('REQUEST_ENTITY_TOO_LARGE');
    const wait = limits?.tooLarge(request, before, size) ?? 0;
    return wait > 0 ? tooManyRequests(wait) : undefined;
  };
  // Listeners, since an iterator over the request takes longer than all else that is done here.
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      const before = size;
      size += chunk.length;
      const refusal = refusalAt(before);
      if (!refusal) {
        chunks.push(chunk);
        return;
      }
      // The request stays open: its connection is needed for the answer.
      request.off('data', take).pause();
      reject(refusal);
    };
    const close = (): void => {
      if (!request.readableEnded) reject(brokenOff());
    };
    request.on('data', take).once('end', resolve).once('error', close).once('close', close);
  });
  return Buffer.concat(chunks, size);
}

const brokenOff = (): ApiError =>
  failure('COULD_NOT_PARSE_BODY', 'the body was not sent to its end');

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
  limits?: RequestLimits,
): Promise<unknown> {
  const bytes = await readBytes(request, limits);
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

/** The refusal of a body that is a list or a scalar. */
export const noObject = (): ApiError => invalidField('body', 'the body must be a JSON object', '');

import { filledIn, inJson, type Lookup } from './placeholders.js';
import {
  targetOf,
  textOf,
  type Field,
  type FuzzRequest,
  type WireRequest,
} from './fuzz-request.js';

const LINE_BREAKS = /[\r\n]/g;
/** What has to be escaped in the first line, which would be none otherwise. */
// eslint-disable-next-line no-control-regex -- control characters are what no URL has
const UNSENDABLE = /[\x00-\x20\x7f]/g;
// eslint-disable-next-line no-control-regex -- nor has a header
const MALFORMED = /[\x00-\x08\x0b-\x1f\x7f]/;

/** A request as bytes, with what exists and the session of its caller. */
export function wireOf(
  request: FuzzRequest,
  lookup: Lookup,
  session: string | undefined,
): WireRequest {
  const body = bodyOf(request, lookup);
  const isCut = request.framing === 'cut' && body.length > 1;
  const target = filledIn(targetOf(request), lookup, encodeURIComponent);
  const fields: Field[] = [
    ['host', 'localhost'],
    ...(session === undefined ? [] : [['zt-session', session] as const]),
    ...request.headers.map(([name, value]): Field => [name, filledIn(value, lookup)]),
    ...framingOf(request, body.length),
  ];
  const head = [
    `${request.method} ${target.replaceAll(UNSENDABLE, encodeURIComponent)} HTTP/1.1`,
    ...fields.map(([name, value]) => `${name}: ${value.replaceAll(LINE_BREAKS, ' ')}`),
    '',
    '',
  ].join('\r\n');
  const sent = request.framing === 'chunks' ? chunked(body) : body;
  return {
    bytes: Buffer.concat([
      Buffer.from(head, 'utf8'),
      isCut ? sent.subarray(0, Math.floor(sent.length / 2)) : sent,
    ]),
    isCut,
    isMalformed: fields.some(([, value]) => MALFORMED.test(value)),
    isHead: request.method === 'HEAD',
    isStream: request.isStream ?? false,
  };
}

function bodyOf({ body }: FuzzRequest, lookup: Lookup): Buffer {
  const written = body.kind === 'json' ? inJson : undefined;
  const text = filledIn(textOf(body), lookup, written);
  return Buffer.from(text, body.kind === 'bytes' ? 'latin1' : 'utf8');
}

function framingOf({ body, framing }: FuzzRequest, length: number): Field[] {
  if (framing === 'chunks') return [['transfer-encoding', 'chunked']];
  return body.kind === 'none' ? [] : [['content-length', String(length)]];
}

const CHUNK = 700;

function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += CHUNK) {
    const part = body.subarray(at, at + CHUNK);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

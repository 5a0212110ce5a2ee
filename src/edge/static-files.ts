import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';

/*
 * Files for browsers, which are read once, at the start: so a request can only name a file that was in
 * the folder then, whatever its path is.
 */

/** Pages with files below one path. */
export interface PageDoor {
  /** The path, for logs and metrics. */
  readonly route: string;
  isFor(request: IncomingMessage): boolean;
  readonly serve: RequestListener;
}

export interface StaticFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Encoding -> bytes. */
  readonly packed: ReadonlyMap<string, Buffer>;
  /** Changes with the content. */
  readonly tag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.eot': 'application/vnd.ms-fontobject',
  '.gif': 'image/gif',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.otf': 'font/otf',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
};

/** Browsers do not show or run it, because they must not guess types. */
const OTHER_TYPE = 'application/octet-stream';

/** The encodings that builds write, the preferred one first, with the endings of their files. */
const ENCODINGS: readonly (readonly [name: string, ending: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

/** The name of a file has a digest of its content: it never changes. */
export const FOREVER = 'public, max-age=31536000, immutable';

/** Some proxies and scanners look for these on every page. */
export const SAFETY: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Reads the files of a folder by their paths below it, with their compressed forms beside them.
 * Leaves out symbolic links, which could lead out of the folder, and names that begin with a dot.
 */
export function readStaticFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const contents = new Map(
    filesBelow(folder).map((path) => [
      `/${relative(folder, path).split(sep).join('/')}`,
      readFileSync(path),
    ]),
  );
  const isPacked = (path: string): boolean =>
    ENCODINGS.some(
      ([, ending]) => path.endsWith(ending) && contents.has(path.slice(0, -ending.length)),
    );
  const files = new Map<string, StaticFile>();
  for (const [path, plain] of contents) {
    if (isPacked(path)) continue;
    const packed = new Map<string, Buffer>();
    for (const [encoding, ending] of ENCODINGS) {
      const bytes = contents.get(`${path}${ending}`);
      if (bytes) packed.set(encoding, bytes);
    }
    const type = TYPES[extname(path).toLowerCase()] ?? OTHER_TYPE;
    files.set(path, { type, plain, packed, tag: tagOf(plain) });
  }
  return files;
}

/** `readdir` with `recursive` would follow symbolic links to folders. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** Weak, because the compressed forms have the same tag (RFC 9110 8.8.1). */
const tagOf = (bytes: Buffer): string =>
  `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

/** Sends a file, or that the client has it already. */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: StaticFile,
  headers: Readonly<Record<string, string>>,
): void {
  const shared = { ...headers, etag: file.tag, vary: 'accept-encoding' };
  if (hasTag(request, file.tag)) {
    response.writeHead(304, shared);
    response.end();
    return;
  }
  const encoding = acceptedEncoding(request, file);
  const body = (encoding !== undefined && file.packed.get(encoding)) || file.plain;
  response.writeHead(200, {
    ...shared,
    'content-type': file.type,
    'content-length': body.length,
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const hasTag = ({ headers }: IncomingMessage, tag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((sent) => sent.trim() === tag);

/** Gives the best encoding that the client takes (RFC 9110 12.5.3); `q=0` refuses one. */
function acceptedEncoding({ headers }: IncomingMessage, file: StaticFile): string | undefined {
  const accepted = new Map(
    (headers['accept-encoding'] ?? '')
      .toLowerCase()
      .split(',')
      .map((each) => {
        const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
        return [name, !parameters.some((part) => /^q=0(\.0*)?$/.test(part))];
      }),
  );
  const takes = (encoding: string): boolean => accepted.get(encoding) ?? false;
  return ENCODINGS.map(([name]) => name).find((name) => takes(name) && file.packed.has(name));
}

/** Whether a request reads; answers others. */
export function reads(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return true;
  response.writeHead(405, { allow: 'GET, HEAD', 'content-length': 0 });
  response.end();
  return false;
}

export function refuseUnknown(response: ServerResponse): void {
  response.writeHead(404, { 'content-length': 0 });
  response.end();
}

export function redirect(
  response: ServerResponse,
  location: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(302, { location, 'content-length': 0, ...headers });
  response.end();
}

/** The path of a request, without its query. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** The query of a request with its question mark; empty without one. */
export const queryOf = (request: IncomingMessage): string =>
  (request.url ?? '').slice(pathOf(request).length);

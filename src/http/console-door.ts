import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { PROGRAM_FOLDER } from '../base/program-folder.js';

/*
 * The files of the web console. They are read once, at the start: so a request can only name a file
 * that the build wrote, whatever its path is.
 */

const BASE = '/console';

/** The folder that the build writes. */
export const CONSOLE_FOLDER = join(PROGRAM_FOLDER, 'dist', 'console');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The encodings that the build writes, the preferred one first, with the endings of their files. */
const ENCODINGS: readonly (readonly [name: string, ending: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

/** In the page of the build: where the nonce of an answer goes. */
const NONCE = '{{nonce}}';

/** Some proxies and scanners look for these on every page. */
const SAFETY: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Encoding -> bytes. */
  readonly packed: ReadonlyMap<string, Buffer>;
}

/** Whether a request is for the console: a path below `/console`, or a browser that opens `/`. */
export function isForConsole({ url = '/', headers, method }: IncomingMessage): boolean {
  if (/^\/console(?:[/?]|$)/.test(url)) return true;
  const isRoot = /^\/(?:\?|$)/.test(url) && (method === 'GET' || method === 'HEAD');
  return isRoot && headers.accept?.split(',')[0] === 'text/html';
}

/** Serves the console; gives nothing when the console was not built. */
export function consoleDoor(folder: string): RequestListener | undefined {
  const files = readFiles(folder);
  const page = files.get('/index.html')?.plain.toString();
  if (page === undefined) return undefined;
  return (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    for (const [name, value] of Object.entries(SAFETY)) response.setHeader(name, value);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuseMethod(response);
    } else if (!path.startsWith(BASE)) {
      redirect(response, `${BASE}/`);
    } else {
      const name = path.slice(BASE.length);
      const file = name === '/index.html' ? undefined : files.get(name);
      if (file) sendFile(request, response, file);
      else if (name.startsWith('/assets/')) refuseUnknown(response);
      else sendPage(request, response, page);
    }
  };
}

/** Reads the files of a folder, with their compressed forms beside them. */
function readFiles(folder: string): ReadonlyMap<string, ConsoleFile> {
  const contents = new Map(
    filesBelow(folder).map((path) => [
      `/${relative(folder, path).split(sep).join('/')}`,
      readFileSync(path),
    ]),
  );
  const files = new Map<string, ConsoleFile>();
  for (const [path, plain] of contents) {
    const type = path === '/index.html' ? 'text/html' : TYPES[extname(path)];
    if (type === undefined) continue;
    const packed = new Map<string, Buffer>();
    for (const [encoding, ending] of ENCODINGS) {
      const bytes = contents.get(`${path}${ending}`);
      if (bytes) packed.set(encoding, bytes);
    }
    files.set(path, { type, plain, packed });
  }
  return files;
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * The page loads its own scripts and nothing else. The library of its controls writes style elements
 * with sizes and colours, so that they carry a nonce; scripts have files, and no nonce.
 */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The nonce differs for each answer, so that no cache may keep the page. */
function sendPage(request: IncomingMessage, response: ServerResponse, page: string): void {
  const nonce = randomBytes(16).toString('base64');
  const body = Buffer.from(page.replaceAll(NONCE, nonce));
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    'content-security-policy': policy(nonce),
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** The name of a file has a digest of its content: it never changes. */
function sendFile(request: IncomingMessage, response: ServerResponse, file: ConsoleFile): void {
  const encoding = acceptedEncoding(request, file);
  const body = (encoding !== undefined && file.packed.get(encoding)) || file.plain;
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': body.length,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Gives the best encoding that the client takes (RFC 9110 12.5.3); `q=0` refuses one. */
function acceptedEncoding({ headers }: IncomingMessage, file: ConsoleFile): string | undefined {
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

function redirect(response: ServerResponse, location: string): void {
  // Other clients get another answer at this address.
  response.writeHead(302, { location, vary: 'accept', 'content-length': 0 });
  response.end();
}

function refuseMethod(response: ServerResponse): void {
  response.writeHead(405, { allow: 'GET, HEAD', 'content-length': 0 });
  response.end();
}

function refuseUnknown(response: ServerResponse): void {
  response.writeHead(404, { 'content-length': 0 });
  response.end();
}

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PROGRAM_FOLDER } from '../base/program-folder.js';
import type { LoginOrigins } from './login-origins.js';
import {
  FOREVER,
  pathOf,
  readStaticFiles,
  reads,
  redirect,
  refuseUnknown,
  SAFETY,
  sendFile,
  type PageDoor,
} from './static-files.js';

/** The path of the web console. */
export const CONSOLE_PATH = '/console';

/** The folder that the build writes. */
export const CONSOLE_FOLDER = join(PROGRAM_FOLDER, 'dist', 'console');

/** In the page of the build: where the nonce of an answer goes. */
const NONCE = '{{nonce}}';

/** Whether a request is for the console: a path below `/console`, or a browser that opens `/`. */
function isForConsole({ url = '/', headers, method }: IncomingMessage): boolean {
  if (/^\/console(?:[/?]|$)/.test(url)) return true;
  const isRoot = /^\/(?:\?|$)/.test(url) && (method === 'GET' || method === 'HEAD');
  return isRoot && headers.accept?.split(',')[0] === 'text/html';
}

/** Serves the console; gives nothing when the console was not built. */
export function consoleDoor(folder: string, loginOrigins: LoginOrigins): PageDoor | undefined {
  if (!existsSync(folder)) return undefined;
  const files = readStaticFiles(folder);
  const page = files.get('/index.html')?.plain.toString();
  if (page === undefined) return undefined;
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const path = pathOf(request);
    for (const [name, value] of Object.entries(SAFETY)) response.setHeader(name, value);
    if (!reads(request, response)) return;
    if (!path.startsWith(CONSOLE_PATH)) {
      // Other clients get another answer at this address.
      redirect(response, `${CONSOLE_PATH}/`, { vary: 'accept' });
      return;
    }
    const name = path.slice(CONSOLE_PATH.length);
    const file = name === '/index.html' ? undefined : files.get(name);
    if (file) sendFile(request, response, file, { 'cache-control': FOREVER });
    else if (name.startsWith('/assets/')) refuseUnknown(response);
    else void sendPage(request, response, page, loginOrigins);
  };
  return { route: CONSOLE_PATH, isFor: isForConsole, serve };
}

/**
 * The page loads its own scripts, and asks the login pages of external signers. The library of its controls writes style elements
 * with sizes and colours, so that they carry a nonce; scripts have files, and no nonce.
 */
const policy = (nonce: string, loginOrigins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...loginOrigins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The nonce differs for each answer, so that no cache may keep the page. */
async function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  page: string,
  loginOrigins: LoginOrigins,
): Promise<void> {
  const nonce = randomBytes(16).toString('base64');
  const body = Buffer.from(page.replaceAll(NONCE, nonce));
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    'content-security-policy': policy(nonce, await loginOrigins()),
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

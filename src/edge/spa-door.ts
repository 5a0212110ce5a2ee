import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { StartError } from '../base/start-error.js';
import type { LoginOrigins } from './login-origins.js';
import { pagePolicy } from './page-policy.js';
import type { SpaFolder } from './spa-folders.js';
import {
  FOREVER,
  pathOf,
  queryOf,
  readStaticFiles,
  reads,
  redirect,
  refuseUnknown,
  SAFETY,
  sendFile,
  type PageDoor,
  type StaticFile,
} from './static-files.js';

/** A folder with more is named by mistake: its files are kept in memory. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Such a page may show parts of itself in frames, and open windows to log in. */
const HEADERS: Readonly<Record<string, string>> = {
  ...SAFETY,
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'x-frame-options': 'SAMEORIGIN',
};

/** Servers of maps refuse pages that do not name their origin. */
const headersFor = (assetOrigins: readonly string[]): Readonly<Record<string, string>> =>
  assetOrigins.length > 0 ? { ...HEADERS, 'referrer-policy': 'strict-origin' } : HEADERS;

interface Served {
  readonly file: StaticFile;
  readonly caching: string;
  /** Of pages alone. */
  readonly policy?: ReturnType<typeof pagePolicy>;
}

export interface SpaDoorOptions extends SpaFolder {
  /** The first segments of paths that others answer. */
  readonly taken: ReadonlySet<string>;
  readonly loginOrigins: LoginOrigins;
  /** Further origins of images, styles and fonts. */
  readonly assetOrigins: readonly string[];
}

/** Serves a single-page application: its files, and its page at other paths without an ending. */
export function spaDoor(options: SpaDoorOptions): PageDoor {
  const { path, folder, taken, loginOrigins, assetOrigins } = options;
  const [, first = ''] = path.split('/');
  if (taken.has(first)) {
    throw new StartError(
      `OVERGRAPH_SPA names the path "${path}", which the controller itself serves`,
      'choose another path',
    );
  }
  const files = readFiles(folder, assetOrigins);
  const page = files.get('/index.html');
  if (!page) {
    throw new StartError(`OVERGRAPH_SPA: "${folder}" has no index.html`, 'name another folder');
  }
  const headers = headersFor(assetOrigins);
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (!reads(request, response)) return;
    const name = decoded(pathOf(request).slice(path.length));
    // Addresses of the page are relative to its folder. A login provider answers in the query.
    if (name === '') redirect(response, `${path}/${queryOf(request)}`);
    else {
      const served = files.get(name) ?? (extname(name) === '' ? page : undefined);
      if (!served) refuseUnknown(response);
      else void sendServed(request, response, served, loginOrigins);
    }
  };
  const isFor = (request: IncomingMessage): boolean => {
    const asked = pathOf(request);
    return asked === path || asked.startsWith(`${path}/`);
  };
  return { route: path, isFor, serve };
}

function readFiles(folder: string, assetOrigins: readonly string[]): ReadonlyMap<string, Served> {
  const files = readStaticFiles(folder);
  const bytes = [...files.values()].reduce((sum, { plain }) => sum + plain.length, 0);
  if (bytes > MAX_BYTES) {
    throw new StartError(
      `OVERGRAPH_SPA: the files of "${folder}" have more than ${String(MAX_BYTES / 1024 / 1024)} MB`,
      'name the folder of a built application',
    );
  }
  return new Map([...files].map(([path, file]) => [path, servedOf(path, file, assetOrigins)]));
}

function servedOf(path: string, file: StaticFile, assetOrigins: readonly string[]): Served {
  if (!file.type.startsWith('text/html')) {
    return { file, caching: hasDigest(path) ? FOREVER : 'no-cache' };
  }
  return { file, caching: 'no-cache', policy: pagePolicy(String(file.plain), assetOrigins) };
}

async function sendServed(
  request: IncomingMessage,
  response: ServerResponse,
  { file, caching, policy }: Served,
  loginOrigins: LoginOrigins,
): Promise<void> {
  sendFile(request, response, file, {
    'cache-control': caching,
    ...(policy ? { 'content-security-policy': policy(await loginOrigins()) } : {}),
  });
}

/**
 * Whether a name ends with a digest, as bundlers write them: hexadecimal, eight capitals and digits, or
 * eight letters and digits below `assets`. Browsers ask again for other files, and get a short answer.
 */
const hasDigest = (path: string): boolean =>
  [
    /[.-](?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,64}(?:\.[a-z0-9]+)+$/,
    /[.-](?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{8}(?:\.[a-z0-9]+)+$/,
    /\/assets\/.*-(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{8}(?:\.[a-z0-9]+)+$/,
  ].some((digest) => digest.test(path));

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

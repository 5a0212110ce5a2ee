import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Executor } from '../src/graph/index.js';
import type { Catalog } from '../src/kernel/declare/catalog.js';
import { filterableFields } from '../src/kernel/declare/symbols.js';
import { describeRequest } from '../src/requests/observability/index.js';
import { compileRow, type CompiledRow } from './engine/compile.js';
import { answer, type HandlerOptions } from './engine/handler.js';
import { methodOf } from './engine/reply-headers.js';
import { RouteTable } from './engine/route-table.js';
import type { Interface, RestRow } from './engine/rest-row.js';
import { BASE_PATHS } from '../src/base/interface-paths.js';

export { faultsOfRows } from './engine/compile.js';
export { restRows } from './rows/rest-rows.js';
export { errorEnvelope } from './engine/envelope.js';
export { openApiDocument } from './engine/openapi.js';
export type { RestRow } from './engine/rest-row.js';

export type RestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Serves the REST interfaces, their older paths, and `/`, `/version` and the CA bundle at the
 * root.
 */
export function restHandler(
  rows: readonly RestRow[],
  executor: Executor,
  catalog: Catalog,
  options: Omit<HandlerOptions, 'filterableFields'>,
): RestHandler {
  const tables = {
    client: new RouteTable<CompiledRow>(),
    management: new RouteTable<CompiledRow>(),
    fabric: new RouteTable<CompiledRow>(),
  };
  for (const row of rows) {
    const compiled = compileRow(row, executor);
    for (const on of row.on) tables[on].add(row.method, row.path, compiled);
  }
  const fields = new Map(
    [...catalog.all()].map((resource) => [
      resource.name,
      JSON.stringify(filterableFields(resource, catalog.symbols(resource))),
    ]),
  );
  const all: HandlerOptions = {
    ...options,
    filterableFields: (name) => fields.get(name) ?? '[]',
  };
  return (request, response) => {
    const { path, search } = split(request.url ?? '/');
    const target = locate(path);
    const match = target && tables[target.on].match(target.path);
    if (match) describe(request, target.on, match.methods.get(methodOf(request))?.row);
    return answer(all, match, request, response, search);
  };
}

/** Describes a request by its operation; its own path may contain tokens. */
function describe(request: IncomingMessage, on: Interface, row: RestRow | undefined): void {
  if (!row) return;
  describeRequest(request, {
    door: on,
    operation: row.operationId,
    route: BASE_PATHS[on] + row.path,
  });
}

function split(url: string): { path: string; search: string } {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  return { path: path.replace(/\/{2,}/g, '/'), search: at === -1 ? '' : url.slice(at + 1) };
}

const BASES = Object.entries(BASE_PATHS) as [Interface, string][];
const LEGACY = '/edge/v1';

/** The first segments of all paths that the interfaces answer. */
export function firstSegments(rows: readonly RestRow[]): ReadonlySet<string> {
  const atRoot = rows.filter(({ on }) => on.includes('client')).map(({ path }) => path);
  const paths = [...Object.values(BASE_PATHS), LEGACY, ...atRoot];
  return new Set(paths.map((path) => path.split('/')[1] ?? ''));
}

/** The interface of a path; old clients leave the base path out. */
function locate(path: string): { on: Interface; path: string } | undefined {
  for (const [on, base] of BASES) {
    const below = under(base, path);
    if (below !== undefined) return { on, path: below };
  }
  const legacy = under(LEGACY, path);
  if (legacy !== undefined) return { on: 'client', path: legacy };
  return /^\/(edge|fabric)(\/|$)/.test(path) ? undefined : { on: 'client', path };
}

function under(base: string, path: string): string | undefined {
  if (path === base) return '/';
  return path.startsWith(`${base}/`) ? path.slice(base.length) : undefined;
}

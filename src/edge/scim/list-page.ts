import { setImmediate as immediately } from 'node:timers/promises';
import {
  attributesIn,
  equalitiesOf,
  matchesFilter,
  memberOf,
  only,
  parseFilter,
  without,
  type Filter,
} from '../../access/directories/index.js';
import type { JsonObject } from '../../base/row.js';
import type { DirectoryReply, DirectoryRequest } from '../directories/directory-request.js';

export const MAX_RESULTS = 200;
const DEFAULT_RESULTS = 100;
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** How a list reads and shows its resources. */
export interface ListSource<R> {
  /** The resources with a value of an attribute, named in lower case, of those that an index reads. */
  readonly finders: Readonly<Record<string, (value: string) => Promise<readonly R[]>>>;
  count(): Promise<number>;
  page(place: Place): Promise<readonly R[]>;
  all(): AsyncIterable<readonly R[]>;
  /** Their form for answers and filters. Attributes that take a statement are read when they are wanted. */
  shown(resources: readonly R[], isWanted: IsWanted): Promise<readonly JsonObject[]>;
}

export type IsWanted = (attribute: 'groups' | 'members') => boolean;

/** A page of a list (RFC 7644 3.4.2), which begins with 1. */
export async function listPage<R>(
  request: DirectoryRequest,
  source: ListSource<R>,
): Promise<DirectoryReply> {
  const { query } = request;
  const startIndex = Math.max(1, integerIn(query, 'startIndex', 1));
  const count = Math.min(MAX_RESULTS, Math.max(0, integerIn(query, 'count', DEFAULT_RESULTS)));
  const place = { skip: startIndex - 1, take: count };
  const text = query.get('filter') ?? '';
  const { total, rows } =
    text === ''
      ? await plainPage(source, place)
      : await filteredPage(source, parseFilter(text), place);
  const shown = await source.shown(rows, wantedBy(query));
  return {
    status: 200,
    body: {
      schemas: [LIST],
      totalResults: total,
      startIndex,
      itemsPerPage: shown.length,
      Resources: shown.map((resource) => projected(query, resource)),
    },
  };
}

interface Place {
  readonly skip: number;
  readonly take: number;
}

interface Found<R> {
  readonly total: number;
  readonly rows: readonly R[];
}

async function plainPage<R>(source: ListSource<R>, place: Place): Promise<Found<R>> {
  const total = await source.count();
  // The database has no numbers as large as those that a provider may send.
  const isEmpty = place.take === 0 || place.skip >= total;
  return { total, rows: isEmpty ? [] : await source.page(place) };
}

/** A group may have thousands of members. */
const COMPARED_AT_ONCE = 20;

async function filteredPage<R>(
  source: ListSource<R>,
  filter: Filter,
  { skip, take }: Place,
): Promise<Found<R>> {
  const matching: R[] = [];
  for await (const slice of candidates(source, filter)) {
    for (let at = 0; at < slice.length; at += COMPARED_AT_ONCE) {
      const some = slice.slice(at, at + COMPARED_AT_ONCE);
      matching.push(...(await matchingOf(source, filter, some)));
      await immediately();
    }
  }
  return { total: matching.length, rows: matching.slice(skip, skip + take) };
}

/** Providers ask for one of many resources by its name before each write. */
async function* candidates<R>(source: ListSource<R>, filter: Filter): AsyncIterable<readonly R[]> {
  for (const { attribute, value } of equalitiesOf(filter)) {
    const find = source.finders[attribute];
    if (!find) continue;
    yield await find(value);
    return;
  }
  yield* source.all();
}

async function matchingOf<R>(
  source: ListSource<R>,
  filter: Filter,
  resources: readonly R[],
): Promise<readonly R[]> {
  const compared = attributesIn(filter);
  const shown = await source.shown(resources, (attribute) => compared.has(attribute));
  return resources.filter((_, at) => matchesFilter(shown[at], filter));
}

function integerIn(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name) ?? '';
  return /^-?\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : otherwise;
}

const ALWAYS = ['schemas', 'id'];

const namesIn = (query: URLSearchParams, name: string): readonly string[] =>
  (query.get(name) ?? '').split(',').flatMap((one) => {
    const trimmed = one.trim().replace(/^urn:ietf:params:scim:schemas:core:2\.0:\w+:/i, '');
    return trimmed === '' ? [] : [trimmed.split('.')[0] ?? trimmed];
  });

/** Attributes are wanted that the answer shows. */
export const wantedBy =
  (query: URLSearchParams): IsWanted =>
  (attribute) =>
    memberOf(projected(query, { [attribute]: true }), attribute) === true;

/** The attributes that the query asks for: `attributes`, or all without `excludedAttributes`. */
export function projected(query: URLSearchParams, resource: JsonObject): JsonObject {
  const wanted = namesIn(query, 'attributes');
  if (wanted.length > 0) return only(resource, [...ALWAYS, ...wanted]);
  const excluded = namesIn(query, 'excludedAttributes');
  return without(
    resource,
    excluded.filter((name) => !ALWAYS.includes(name)),
  );
}

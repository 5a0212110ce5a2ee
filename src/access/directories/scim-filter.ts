import { parse, type Compare, type Filter } from 'scim2-parse-filter';
import { instantOf } from '../../base/instant.js';
import { isObject, type JsonObject } from '../../base/row.js';
import { isStorableText } from '../../base/storable.js';
import { memberOf } from './json-members.js';
import { ScimError } from './scim-error.js';

/*
 * The library parses. Its own test of resources distinguishes the case of texts, and does not find attributes by
 * the names of their schemas, so the test stands here.
 */

/** The parser is recursive, and a text of this length does not nest deeply. */
const MAX_FILTER_LENGTH = 2_000;

/** NUL and surrogates. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;

export type { Filter } from 'scim2-parse-filter';

/** @throws ScimError invalidFilter */
export function parseFilter(text: string): Filter {
  if (text.length > MAX_FILTER_LENGTH) throw invalidFilter('the filter is too long');
  try {
    if (isStorableText(text) && !UNSTORABLE_ESCAPE.test(text)) return parse(text);
  } catch {
    // The library tells the place in its own words.
  }
  throw invalidFilter('the filter is not one of RFC 7644 3.4.2.2');
}

const invalidFilter = (detail: string): ScimError => new ScimError(400, 'invalidFilter', detail);

/** A comparison of an attribute, named in lower case, with a text. */
export interface Equality {
  readonly attribute: string;
  readonly value: string;
}

/** Those that hold for each value that the filter chooses. */
export function equalitiesOf(filter: Filter): readonly Equality[] {
  switch (filter.op) {
    case 'eq': {
      const { attrPath, compValue } = filter;
      return typeof compValue === 'string'
        ? [{ attribute: lowerName(attrPath), value: compValue }]
        : [];
    }
    case 'and':
      return filter.filters.flatMap(equalitiesOf);
    case '[]': {
      const outer = lowerName(filter.attrPath);
      return equalitiesOf(filter.valFilter).map(({ attribute, value }) => ({
        attribute: `${outer}.${attribute}`,
        value,
      }));
    }
    default:
      return [];
  }
}

/** The attributes that a filter reads, in lower case, without what follows their first dot. */
export function attributesIn(filter: Filter): ReadonlySet<string> {
  switch (filter.op) {
    case 'or':
    case 'and':
      return new Set(filter.filters.flatMap((one) => [...attributesIn(one)]));
    case 'not':
      return attributesIn(filter.filter);
    default:
      return new Set([lowerName(filter.attrPath).split('.')[0] ?? '']);
  }
}

/** Whether a value has what a filter asks for. */
export function matchesFilter(value: unknown, filter: Filter): boolean {
  switch (filter.op) {
    case 'or':
      return filter.filters.some((one) => matchesFilter(value, one));
    case 'and':
      return filter.filters.every((one) => matchesFilter(value, one));
    case 'not':
      return !matchesFilter(value, filter.filter);
    case '[]':
      return elementsAt(value, filter.attrPath).some((one) => matchesFilter(one, filter.valFilter));
    case 'pr':
      return valuesAt(value, filter.attrPath).some(isPresent);
    default:
      return compares(value, filter);
  }
}

const isPresent = (value: unknown): boolean => value !== null && value !== '';

function compares(value: unknown, { op, attrPath, compValue }: Compare): boolean {
  const time = timeOf(compValue);
  const other = comparable(compValue);
  const holds = (test: Comparison): boolean =>
    valuesAt(value, attrPath).some((one) => {
      const own = time === undefined ? undefined : timeOf(one);
      return own === undefined ? test(comparable(one), other) : test(own, time);
    });
  return op === 'ne' ? !holds(COMPARISONS.eq) : holds(COMPARISONS[op]);
}

type Comparable = string | number | null | undefined;
type Comparison = (one: Comparable, other: Comparable) => boolean;

/** Instants compare as such, so that their spelling does not matter. */
function timeOf(value: unknown): number | undefined {
  const time = instantOf(value).getTime();
  return Number.isNaN(time) ? undefined : time;
}

/** Texts compare without case, and truth values as the texts that some providers send. */
function comparable(value: unknown): Comparable {
  if (typeof value === 'string') return value.toLowerCase();
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' ? value : null;
}

const both =
  (test: (one: string, other: string) => boolean): Comparison =>
  (one, other) =>
    typeof one === 'string' && typeof other === 'string' && test(one, other);

const ordered =
  (test: (order: number) => boolean): Comparison =>
  (one, other) => {
    if (typeof one === 'number' && typeof other === 'number') return test(one - other);
    if (typeof one !== 'string' || typeof other !== 'string') return false;
    return test(one === other ? 0 : one < other ? -1 : 1);
  };

const COMPARISONS: Readonly<Record<Exclude<Compare['op'], 'ne'>, Comparison>> = {
  eq: (one, other) => one === other,
  co: both((one, other) => one.includes(other)),
  sw: both((one, other) => one.startsWith(other)),
  ew: both((one, other) => one.endsWith(other)),
  gt: ordered((order) => order > 0),
  ge: ordered((order) => order >= 0),
  lt: ordered((order) => order < 0),
  le: ordered((order) => order <= 0),
};

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
const EXTENSION = /^(urn:.+:(?:User|Group))(?::(.+))?$/i;

/** The name of an attribute without the core schema, which it may have in front. */
const coreName = (path: string): string => path.replace(CORE, '');
const lowerName = (path: string): string => coreName(path).toLowerCase();

/** The members that lead to an attribute: `name.givenName`, `urn:…:User:manager.value`. */
export function segmentsOf(path: string): readonly string[] {
  const extension = EXTENSION.exec(coreName(path));
  if (!extension) return coreName(path).split('.');
  const [, schema = '', rest] = extension;
  return rest === undefined ? [schema] : [schema, ...rest.split('.')];
}

/** The values at a path, one for each element of a list. */
function elementsAt(value: unknown, path: string): readonly unknown[] {
  let values: readonly unknown[] = [value];
  for (const segment of segmentsOf(path)) {
    values = values.flatMap((one) =>
      elementsOf(one).flatMap((element) => (isObject(element) ? [memberOf(element, segment)] : [])),
    );
  }
  return values.flatMap(elementsOf).filter((one) => one !== undefined);
}

/** The same; the value of an element with several members is its member `value`. */
const valuesAt = (value: unknown, path: string): readonly unknown[] =>
  elementsAt(value, path).map((one) => (isObject(one) ? (memberOf(one, 'value') ?? one) : one));

const elementsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [value];

/** The members that a filter fixes by equality, for an element that it does not find. */
export function fixedMembers(filter: Filter): JsonObject {
  if (filter.op === 'eq') return { [filter.attrPath]: filter.compValue };
  if (filter.op !== 'and') return {};
  return Object.assign({}, ...filter.filters.map(fixedMembers)) as JsonObject;
}

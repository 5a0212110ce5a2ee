import type { Predicate } from '../../../src/kernel/filter/index.js';
import type { Literal } from '../../../src/kernel/filter/literal.js';
import type {
  Comparison,
  Operator,
  Path,
  SetArgument,
} from '../../../src/kernel/filter/predicate.js';
import { KIND_NUMBERS } from './things.js';
import type { Place, Thing } from './things.js';

/**
 * The filter language in memory, written from its definitions and without the compiler:
 * the second opinion of the property tests.
 */
export function evaluate(predicate: Predicate, row: Thing | Place): boolean {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value;
    case 'and':
      return predicate.terms.every((term) => evaluate(term, row));
    case 'or':
      return predicate.terms.some((term) => evaluate(term, row));
    case 'not':
      return !evaluate(predicate.term, row);
    case 'isEmpty':
      return size(predicate.set, row) === 0;
    case 'compare':
      return compare(predicate, row);
  }
}

function compare(comparison: Comparison, row: Thing | Place): boolean {
  const { operand, negated } = comparison;
  const holds = (value: unknown): boolean => matches(value, comparison) !== negated;
  switch (operand.kind) {
    case 'symbol':
      return holds(numbered(operand.path, read(operand.path, row), comparison));
    case 'anyOf':
      return elements(operand.path, row).some(holds);
    case 'allOf':
      return elements(operand.path, row).every(holds);
    case 'count':
      return holds(size(operand.set, row));
  }
}

/** What is compared with a number: the number of the value, where it has one. */
function numbered(path: Path, value: unknown, { values }: Comparison): unknown {
  const isCompared =
    path[0] === 'kind' && values.some(({ kind }) => kind === 'int' || kind === 'float');
  if (!isCompared || typeof value !== 'string') return value;
  return KIND_NUMBERS[value] ?? null;
}

function read(path: Path, row: Thing | Place): unknown {
  let value: unknown = row;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    value = Object.hasOwn(value, segment) ? Reflect.get(value, segment) : null;
  }
  return value ?? null;
}

function elements(path: Path, row: Thing | Place): readonly unknown[] {
  const found = read(path.slice(0, 1), row);
  const list: readonly unknown[] = Array.isArray(found) ? found : [];
  return list.map((entry) =>
    typeof entry === 'object' && entry !== null
      ? new Map<string, unknown>(Object.entries(entry)).get('id')
      : entry,
  );
}

function size({ path, query }: SetArgument, row: Thing | Place): number {
  if (path[0] !== 'places' || !('places' in row)) return elements(path, row).length;
  const { predicate, skip = 0, limit = 'none' } = query ?? {};
  const found = row.places.filter((place) => !predicate || evaluate(predicate, place));
  const rest = found.slice(Math.max(0, skip));
  return limit === 'none' || limit < 0 ? rest.length : Math.min(rest.length, limit);
}

function matches(value: unknown, { operator, values }: Comparison): boolean {
  if (operator === 'isNull') return value === null;
  if (operator === 'in') return values.some((literal) => test(value, 'eq', literal, true));
  const [first, second] = values;
  if (value === null || !first) return false;
  if (operator === 'between') {
    return test(value, 'gte', first) && second !== undefined && test(value, 'lt', second);
  }
  return test(value, operator, first);
}

function test(value: unknown, operator: Operator, literal: Literal, inList = false): boolean {
  if (operator === 'contains' || operator === 'icontains') {
    const text = asText(value);
    const as = operator === 'contains' ? (plain: string): string => plain : upper;
    return text !== null && as(text).includes(as(String(literal.value)));
  }
  const order = compareTo(value, literal, inList);
  return order !== undefined && (ORDERS[operator]?.(order) ?? false);
}

const ORDERS: Partial<Record<Operator, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
};

/** Negative, zero or positive; undefined where the two do not compare. */
function compareTo(value: unknown, literal: Literal, inList: boolean): number | undefined {
  switch (literal.kind) {
    case 'string':
      return typeof value === 'string' || inList || isRendered(value)
        ? bytewise(asText(value), literal.value)
        : undefined;
    case 'bool':
      return typeof value === 'boolean' ? Number(value) - Number(literal.value) : undefined;
    case 'datetime':
      return inTime(value, literal.value);
    default:
      return typeof value === 'number' ? value - Number(literal.value) : undefined;
  }
}

const bytewise = (a: string | null, b: string): number | undefined =>
  a === null ? undefined : Buffer.compare(Buffer.from(a), Buffer.from(b));

function inTime(value: unknown, instant: string): number | undefined {
  const isInstant = typeof value === 'string' && /T.*(Z|\d\d:\d\d)$/.test(value);
  const time = isInstant ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : time - Date.parse(instant);
}

const isRendered = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean';

const asText = (value: unknown): string | null =>
  typeof value === 'string' || isRendered(value) ? String(value) : null;

// One character to one character, as PostgreSQL does it: "ß" stays, "é" becomes "É".
const upper = (text: string): string =>
  Array.from(text, (c) => {
    const mapped = c.toUpperCase();
    return Array.from(mapped).length === 1 ? mapped : c;
  }).join('');

/** Compares two rows by the path of a value: missing ones first, then by kind, then by value. */
export function compareBy(path: Path, a: Thing, b: Thing): number {
  const [left, right] = [read(path, a), read(path, b)];
  const byKind = kindOf(left) - kindOf(right);
  if (byKind !== 0) return byKind;
  if (typeof left === 'string' && typeof right === 'string') return bytewise(left, right) ?? 0;
  return typeof left === 'object' ? 0 : Number(left) - Number(right);
}

const KINDS = ['boolean', 'number', 'string', 'object'];

const kindOf = (value: unknown): number => (value === null ? -1 : KINDS.indexOf(typeof value));

/**
 * A value of a filter. `datetime` is normalised to UTC with microseconds
 * (`2024-05-01T10:00:00.000000Z`), so that equal instants are equal literals.
 */
export type Literal =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'datetime'; readonly value: string };

export type LiteralKind = Literal['kind'];

const INT8_MAX = 2n ** 63n - 1n;
const INT8_MIN = -(2n ** 63n);
const isInt8 = (value: bigint): boolean => value >= INT8_MIN && value <= INT8_MAX;

/** A 64-bit integer if possible, else a double; undefined if the number is too large for a double. */
export function numberLiteral(text: string): Literal | undefined {
  // The length limit avoids slow BigInt conversions of thousands of digits.
  if (/^-?\d{1,20}$/.test(text)) {
    const value = BigInt(text);
    if (isInt8(value)) return { kind: 'int', value };
  }
  const value = Number(text);
  return Number.isFinite(value) ? { kind: 'float', value } : undefined;
}

/** The literal of a JSON-like scalar; undefined for values that a filter can not contain. */
export function scalarLiteral(value: unknown): Literal | undefined {
  switch (typeof value) {
    case 'string':
      return value.includes('\0') ? undefined : { kind: 'string', value };
    case 'boolean':
      return { kind: 'bool', value };
    case 'bigint':
      return isInt8(value) ? { kind: 'int', value } : { kind: 'float', value: Number(value) };
    case 'number':
      return finiteLiteral(value);
    default:
      return value instanceof Date ? datetimeLiteral(value) : undefined;
  }
}

function finiteLiteral(value: number): Literal | undefined {
  if (!Number.isFinite(value)) return undefined;
  const whole = Number.isInteger(value) && isInt8(BigInt(value));
  return whole ? { kind: 'int', value: BigInt(value) } : { kind: 'float', value };
}

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** RFC 3339 5.6 with a mandatory zone. Digits beyond microseconds are cut, as in PostgreSQL. */
export function datetimeLiteral(input: string | Date): Literal | undefined {
  const value = typeof input === 'string' ? instant(input) : dateInstant(input);
  return value === undefined ? undefined : { kind: 'datetime', value };
}

const dateInstant = (date: Date): string | undefined =>
  Number.isNaN(date.getTime()) ? undefined : instant(date.toISOString());

function instant(text: string): string | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const field = (group: number): number => Number(match[group] ?? 0);
  const day = dayOf(field(1), field(2), field(3));
  if (!day || !isTimeOfDay(field(4), field(5), field(6)) || !isTimeOfDay(field(9), field(10), 0)) {
    return undefined;
  }
  const offset = (match[8] === '-' ? -1 : 1) * (field(9) * 60 + field(10));
  day.setUTCHours(field(4), field(5) - offset, field(6));
  if (!isFourDigitYear(day.getUTCFullYear())) return undefined;
  const micros = (match[7] ?? '').padEnd(6, '0').slice(0, 6);
  return `${day.toISOString().slice(0, 19)}.${micros}Z`;
}

function dayOf(year: number, month: number, day: number): Date | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists && isFourDigitYear(year) ? date : undefined;
}

// All readers of RFC 3339, including PostgreSQL, accept these years without a sign or an era.
const isFourDigitYear = (year: number): boolean => year >= 1 && year <= 9999;

const isTimeOfDay = (hour: number, minute: number, second: number): boolean =>
  hour < 24 && minute < 60 && second < 60;

/** The family of a literal; one list may contain literals of one family. */
export const family = ({ kind }: Literal): LiteralKind => (kind === 'int' ? 'float' : kind);

/** The literal for error messages. */
export function literalText(literal: Literal): string {
  switch (literal.kind) {
    case 'string':
      return JSON.stringify(
        literal.value.length > 40 ? `${literal.value.slice(0, 40)}...` : literal.value,
      );
    case 'datetime':
      return `datetime(${literal.value})`;
    default:
      return String(literal.value);
  }
}

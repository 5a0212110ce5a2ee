import { LargeValue, Sql, join, raw, sql } from './sql.js';

/*
 * Statements that differ in their values alone, as one whose text is the same however many they are:
 * the values that differ become columns of one row for each of them.
 */

/** A statement taken apart into its own text and its values. */
export interface Parts {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  readonly isComposed: boolean;
}

export function partsOf(fragment: Sql): Parts {
  const strings: string[] = [];
  const values: unknown[] = [];
  let text = '';
  const visit = ({ strings: texts, values: inner }: Sql): void => {
    text += texts[0] ?? '';
    inner.forEach((value, i) => {
      if (value instanceof Sql) visit(value);
      else {
        values.push(value);
        strings.push(text);
        text = '';
      }
      text += texts[i + 1] ?? '';
    });
  };
  visit(fragment);
  return { strings: [...strings, text], values, isComposed: fragment.isComposed };
}

/** Parts with equal keys differ in their values alone. */
export const textKey = ({ strings }: Parts): string => strings.join('$');

/** Parts with this and the text in common are the same statement. */
export const valuesKey = ({ values }: Parts): string => JSON.stringify(values);

const ROWS = '"#rows"';

/**
 * The rows of all of these, which have equal keys, each with its number as `"#k"`. A value that is
 * not the same in all of them comes as text, which its place in the statement casts to its type:
 * so every value of ours is written with a cast, as in `= any(${ids}::text[])`.
 */
export function rowsOfAll(all: readonly Parts[], numbers: readonly number[]): Sql {
  const [first] = all;
  if (!first) throw new TypeError('there is no statement');
  const columns: string[][] = [];
  const values = first.values.map((value, i) => {
    const texts = all.map((parts) => textOf(parts.values[i]));
    if (texts.every((text) => text === texts[0])) return value;
    columns.push(texts as string[]);
    return raw(`${ROWS}."v${String(columns.length)}"`);
  });
  const each = new Sql(first.strings, values, first.isComposed);
  const lists = [sql`${numbers}::int[]`, ...columns.map((texts) => sql`${texts}::text[]`)];
  const names = ['"#k"', ...columns.map((_, i) => `"v${String(i + 1)}"`)].join(', ');
  return sql`select ${raw(ROWS)}."#k", "p".* from unnest(${join(lists, ', ')}) as ${raw(`${ROWS}(${names})`)} cross join lateral (${each}) "p"`;
}

/** As PostgreSQL reads it from a text. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (value instanceof LargeValue) return value.value;
  if (value instanceof Date) return value.toISOString();
  // Numbers and booleans are written as in JSON.
  return Array.isArray(value) ? `{${value.map(elementOf).join(',')}}` : JSON.stringify(value);
}

function elementOf(value: unknown): string {
  const text = textOf(value);
  return text === null ? 'null' : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

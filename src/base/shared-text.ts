import { LargeValue, Sql, join, raw, sql } from './sql.js';

/*
 * Combines statements that differ only in their values. The text of the combined statement is the
 * same for any number of them: the differing values become columns, with one row for each
 * statement.
 */

/** A statement as its text fragments and its values. */
export interface StatementFragments {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  readonly isComposed: boolean;
}

export function fragmentsOf(fragment: Sql): StatementFragments {
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

/** Statements with equal keys differ only in their values. */
export const textKey = ({ strings }: StatementFragments): string => strings.join('$');

/** Statements with equal text keys and equal value keys are the same. */
export const valuesKey = ({ values }: StatementFragments): string => JSON.stringify(values);

const ROWS = '"#rows"';

/**
 * Combines statements with equal text keys; each row has the number of its statement as `"#k"`. A
 * value that differs is sent as text and cast in the statement, so every value needs a cast, as in
 * `= any(${ids}::text[])`.
 */
export function rowsOfAll(all: readonly StatementFragments[], numbers: readonly number[]): Sql {
  const [first] = all;
  if (!first) throw new TypeError('there is no statement');
  const columns: string[][] = [];
  const values = first.values.map((value, i) => {
    const texts = all.map((fragments) => textOf(fragments.values[i]));
    if (texts.every((text) => text === texts[0])) return value;
    columns.push(texts as string[]);
    return raw(`${ROWS}."v${String(columns.length)}"`);
  });
  const each = new Sql(first.strings, values, first.isComposed);
  const lists = [sql`${numbers}::int[]`, ...columns.map((texts) => sql`${texts}::text[]`)];
  const names = ['"#k"', ...columns.map((_, i) => `"v${String(i + 1)}"`)].join(', ');
  return sql`select ${raw(ROWS)}."#k", "p".* from unnest(${join(lists, ', ')}) as ${raw(`${ROWS}(${names})`)} cross join lateral (${each}) "p"`;
}

/** The text from which PostgreSQL reads the value. */
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

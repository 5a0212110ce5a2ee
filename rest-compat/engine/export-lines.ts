import type { Column } from './rest-row.js';

/** Lists as text with a line for each entry: for spreadsheets and for programs that read lines. */

export const CSV = 'text/csv';
const JSON_LINES = 'application/x-ndjson';

/** The export types in the order of preference. */
export const EXPORTS: readonly string[] = [CSV, JSON_LINES];

export const isExport = (contentType: string): boolean => EXPORTS.includes(contentType);

/** RFC 4180, with a line of names first. */
export async function* csvLines(
  slices: AsyncIterable<readonly never[]>,
  columns: readonly Column[],
): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => name).join(',')}\r\n`;
  for await (const nodes of slices) {
    yield nodes
      .map((node) => `${columns.map(({ text }) => cell(text(node))).join(',')}\r\n`)
      .join('');
  }
}

export async function* jsonLines(
  slices: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string> {
  for await (const rows of slices) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Quotes a value. It adds `'` before the start of a formula, which a spreadsheet would run. */
const cell = (text: string): string => {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

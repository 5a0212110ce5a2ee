/** A program of sheets would run a cell that begins with one of these. */
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value: string | null): string {
  const text = value === null ? '' : FORMULA.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Makes CSV (RFC 4180) of rows. */
export const csvOf = (
  heads: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): string => [heads, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');

/** Lets the browser save a text as a file. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text]));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

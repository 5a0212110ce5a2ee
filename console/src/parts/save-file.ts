type Cell = string | number | boolean | null;

/** Programs for sheets take a text that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A text of somebody else, as a sheet shows it without running it. */
export const harmless = (text: string | null): string | null =>
  text !== null && FORMULA.test(text) ? `'${text}` : text;

/** Programs for sheets take a file without it for one of another encoding. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Makes CSV (RFC 4180) of rows. */
export const csvOf = (heads: readonly string[], rows: readonly (readonly Cell[])[]): Blob =>
  new Blob(
    [BYTE_ORDER_MARK, ...[heads, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`)],
    { type: 'text/csv;charset=utf-8' },
  );

function cellText(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Hands a file to the browser, which saves it as it saves others. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the content by then.
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, REVOKE_AFTER_MS);
}

const REVOKE_AFTER_MS = 10_000;

/** Columns of text with two blanks between; numbers stand to the right. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const lines = [head, ...rows];
  const widths = head.map((_, i) =>
    lines.reduce((width, line) => Math.max(width, String(line[i] ?? '').length), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, i) => {
          const width = widths[i] ?? 0;
          const isNumber = typeof rows[0]?.[i] === 'number';
          return isNumber ? String(cell).padStart(width) : String(cell).padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** By what stands in them, from the left. */
export const sortedRows = (rows: readonly (readonly string[])[]): (readonly string[])[] =>
  [...rows].sort((a, b) => a.join('\0').localeCompare(b.join('\0'), 'en'));

/** Columns of text with two blanks between; numbers stand to the right. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const lines = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...lines.map((line) => String(line[i] ?? '').length)));
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

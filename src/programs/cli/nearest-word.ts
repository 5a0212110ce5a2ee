/** The word that the user most likely meant by a mistyped word, if one is near. */
export function nearestWord(typed: string, words: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(typed.length / 3));
  const near = words
    .map((word) => ({ word, edits: editsBetween(typed, word) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.word ?? words.find((word) => typed.length > 1 && word.startsWith(typed));
}

/** How many letters are added, left out, replaced or swapped with the next one (Damerau, Levenshtein). */
function editsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j += 1) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i]?.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwapped ? at(i - 2, j - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(a.length, b.length);
}

/**
 * Order of the UTF-8 bytes of two texts, which is PostgreSQL's order under `COLLATE "C"`.
 * UTF-16 units order the same way, except that surrogates (code points above U+FFFF) must come
 * after U+E000..U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

/** The distinct texts in byte order: the stored form of every set of texts. */
export function byteSorted(texts: Iterable<string>): string[] {
  const list = [...texts];
  // Most lists are already sorted, since they were stored so.
  return list.every(isAfterLast) ? list : list.sort(compareBytes).filter(isNotLast);
}

const isAfterLast = (text: string, i: number, all: readonly string[]): boolean =>
  i === 0 || compareBytes(all[i - 1] ?? '', text) < 0;

const isNotLast = (text: string, i: number, all: readonly string[]): boolean =>
  i === 0 || text !== all[i - 1];

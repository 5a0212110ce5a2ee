/** Reads rows in the order of a key, a slice after the last row of the one before, until one is not full. */
export async function* readSlices<T>(
  size: number,
  read: (last: T | undefined) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[], undefined> {
  for (let last: T | undefined, count = size; count === size;) {
    const slice = await read(last);
    yield slice;
    count = slice.length;
    last = slice.at(-1);
  }
}

/** All rows of the slices, where their number is bounded otherwise. */
export async function joined<T>(slices: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const slice of slices) rows.push(...slice);
  return rows;
}

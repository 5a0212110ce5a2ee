/** Lists of small numbers, one after another in one array. */
export class NumberLists {
  private constructor(
    private readonly items: Int32Array,
    /** The place of the first item of each list, and the end. */
    private readonly starts: Int32Array,
  ) {}

  /**
   * Puts each item into the list of its key, in their order; items with a negative key are left out.
   * The items are the positions of the keys, unless others are given.
   */
  static grouped(keys: ArrayLike<number>, count: number, items?: ArrayLike<number>): NumberLists {
    const starts = startsOf(keys, count);
    const places = starts.slice();
    const grouped = new Int32Array(starts[count] ?? 0);
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i] ?? -1;
      if (key < 0) continue;
      const place = places[key] ?? 0;
      grouped[place] = items?.[i] ?? i;
      places[key] = place + 1;
    }
    return new NumberLists(grouped, starts);
  }

  /** The number of lists. */
  get count(): number {
    return this.starts.length - 1;
  }

  /** Gives a list, which shares the memory. */
  at(list: number): Int32Array {
    return this.items.subarray(this.starts[list], this.starts[list + 1]);
  }

  sizeOf(list: number): number {
    return (this.starts[list + 1] ?? 0) - (this.starts[list] ?? 0);
  }

  /** Replaces each item by what `replacements` has for it; without items for which that is negative. */
  replaced(replacements: Int32Array): NumberLists {
    const { items, starts } = this;
    const replaced = new Int32Array(items.length);
    const ends = new Int32Array(starts.length);
    let length = 0;
    for (let list = 0; list < this.count; list += 1) {
      const end = starts[list + 1] ?? 0;
      for (let i = starts[list] ?? 0; i < end; i += 1) {
        const replacement = replacements[items[i] ?? 0] ?? -1;
        if (replacement < 0) continue;
        replaced[length] = replacement;
        length += 1;
      }
      ends[list + 1] = length;
    }
    return new NumberLists(replaced.slice(0, length), ends);
  }
}

function startsOf(keys: ArrayLike<number>, count: number): Int32Array {
  const starts = new Int32Array(count + 1);
  for (let i = 0; i < keys.length; i += 1) {
    const next = (keys[i] ?? -1) + 1;
    if (next > 0) starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let key = 0; key < count; key += 1) {
    starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0);
  }
  return starts;
}

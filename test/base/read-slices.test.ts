import { describe, expect, test } from '@jest/globals';
import { readSlices } from '../../src/base/read-slices.js';

async function slicesOf(rows: readonly number[], size: number): Promise<unknown> {
  const asked: unknown[] = [];
  const slices: unknown[] = [];
  const read = (last: number | undefined) => {
    asked.push(last);
    return Promise.resolve(rows.filter((row) => row > (last ?? 0)).slice(0, size));
  };
  for await (const slice of readSlices(size, read)) slices.push(slice);
  return { asked, slices };
}

describe('rows that are read in slices', () => {
  test.each([
    [
      [1, 2, 3, 4, 5],
      [undefined, 2, 4],
      [[1, 2], [3, 4], [5]],
    ],
    // A full slice may have been the last one.
    [
      [1, 2],
      [undefined, 2],
      [[1, 2], []],
    ],
    [[1], [undefined], [[1]]],
    [[], [undefined], [[]]],
  ])('%j are read after %j', async (rows, asked, slices) => {
    expect(await slicesOf(rows, 2)).toEqual({ asked, slices });
  });
});

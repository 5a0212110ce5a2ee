import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { foldCase } from '../../../src/inventory/search/fold-case.js';
import { createDatabase, openPool, type TestDatabase } from '../../support/database.js';

/** Searches and the condition `icontains` agree about upper and lower case. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

interface Letter {
  readonly letter: string;
  readonly upper: string;
  /** Whether the database knows the letter and what it becomes here. */
  readonly isKnown: boolean;
}

const MAX_CODE_POINT = 0x10ffff;

const letters = Array.from({ length: MAX_CODE_POINT }, (_, i) =>
  String.fromCodePoint(i + 1),
).filter((letter) => !/\p{Surrogate}/u.test(letter));

/** Letters with two cases, here or in the database. */
async function casedLetters(): Promise<Letter[]> {
  const changed = letters.filter((letter) => letter.toUpperCase() !== letter);
  const pool = openPool(database.url, 1);
  try {
    const { rows } = await pool.query<Letter>(
      `select letter, upper(letter collate "pg_c_utf8") as upper,
         unicode_assigned(letter || coalesce(folded, '')) as "isKnown"
       from (
         select letter, folded from unnest($1::text[], $2::text[]) changed(letter, folded)
         union all
         select chr(n), null from generate_series(1, ${String(MAX_CODE_POINT)}) n
         where n not between 55296 and 57343 and upper(chr(n) collate "pg_c_utf8") <> chr(n)
       ) letters`,
      [changed, changed.map(foldCase)],
    );
    return rows;
  } finally {
    await pool.end();
  }
}

test('each letter that both versions of Unicode know has the upper case of the database', async () => {
  const cased = await casedLetters();
  expect(cased.length).toBeGreaterThan(2_500);
  const differing = cased.filter(
    ({ letter, upper, isKnown }) =>
      isKnown && !/\p{Unassigned}/u.test(letter + upper) && foldCase(letter) !== upper,
  );
  expect(differing).toStrictEqual([]);
});

test.each([
  ['straße', 'STRAßE'],
  ['Zürich', 'ZÜRICH'],
  ['ﬁnance', 'ﬁNANCE'],
  ['ᾳ and ß', 'ᾼ AND ß'],
  ['İ and ı', 'İ AND I'],
  ['𐐨', '𐐀'],
])('%s is %s', (text, folded) => {
  expect(foldCase(text)).toBe(folded);
});

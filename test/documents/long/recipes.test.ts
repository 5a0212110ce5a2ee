import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { edited, recipes, type Edit, type Recipe } from '../recipe.js';
import { CheckoutCopy } from './checkout-copy.js';

/*
 * Somebody follows the recipes, one after the other, and finds them to be true: the checkout
 * builds, the named tests pass, and no file but the named ones is changed by hand.
 */

/** Of one recipe: two builds, and the tests that it names. */
const MAX_MILLIS = 900_000;

const EMITTED = /^(?:schema|prisma|src\/network\/messages\/emitted)\//;

let copy: CheckoutCopy;

beforeAll(async () => {
  copy = await CheckoutCopy.make();
}, MAX_MILLIS);
afterAll(() => copy.remove());

async function apply(edit: Edit): Promise<void> {
  const path = join(copy.folder, edit.file);
  await mkdir(dirname(path), { recursive: true });
  const text = edit.kind === 'new' ? '' : await readFile(path, 'utf8');
  await writeFile(path, edited(text, edit));
}

async function migrations(): Promise<Set<string>> {
  return new Set(await readdir(join(copy.folder, 'prisma/migrations')));
}

async function newMigration(before: ReadonlySet<string>): Promise<string> {
  const [name = ''] = [...(await migrations())].filter((each) => !before.has(each));
  return readFile(join(copy.folder, 'prisma/migrations', name, 'migration.sql'), 'utf8');
}

const table: (readonly [string, Recipe])[] = recipes.map((recipe) => [recipe.title, recipe]);

test.each(table)(
  '%s',
  async (title, { edits, commands, migration, named }) => {
    const before = await migrations();
    for (const edit of edits) await apply(edit);
    await copy.follow(`npx prettier --write ${named.join(' ')}`);
    for (const command of commands) await copy.follow(command);
    if (migration !== undefined) expect((await newMigration(before)).trim()).toBe(migration);
    const byHand = (await copy.changedFiles()).filter((file) => !EMITTED.test(file));
    expect(byHand).toStrictEqual([...named].sort());
    await copy.commit(title);
  },
  MAX_MILLIS,
);

test(
  'what the recipes make passes the checks',
  async () => {
    const changed = recipes.flatMap(({ named }) => named.filter((file) => /\.tsx?$/.test(file)));
    await copy.follow(`npx eslint --max-warnings 0 ${[...new Set(changed)].join(' ')}`);
    await copy.follow("npm run check -- types architecture 'emitted schema' migrations");
  },
  MAX_MILLIS,
);

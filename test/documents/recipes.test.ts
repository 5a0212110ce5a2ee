import { existsSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { textOf } from './pages.js';
import { edited, recipes } from './recipe.js';

/* Every recipe fits the checkout. The long tests follow them. */

const table = recipes.map((recipe) => [recipe.title, recipe] as const);

/** Files that a recipe changes after an earlier one has. */
function applied(): Map<string, string> {
  const files = new Map<string, string>();
  for (const edit of recipes.flatMap(({ edits }) => edits)) {
    const { file, kind } = edit;
    const text = kind === 'new' ? '' : (files.get(file) ?? textOf(file));
    files.set(file, edited(text, edit));
  }
  return files;
}

describe('the recipes', () => {
  test('are found', () => {
    expect(recipes.map(({ title }) => title)).toStrictEqual([
      'Add a field',
      'Add a resource',
      'Add an operation',
      'Add a member of an answer',
      'Add a variable',
      'Add a type of posture check',
      'Add a config type',
    ]);
  });

  test('change files at places that are there once', () => {
    expect(applied().size).toBeGreaterThan(10);
  });

  test.each(table)('%s names the files that it changes by hand', (_title, { edits, named }) => {
    const changed = new Set(edits.map(({ file }) => file));
    expect([...named].sort()).toStrictEqual([...changed].sort());
  });

  test.each(table)('%s makes only files that are not there', (_title, { edits }) => {
    const present = edits.filter(({ kind, file }) => (kind === 'new') === existsSync(file));
    expect(present.map(({ file }) => file)).toStrictEqual([]);
  });

  test.each([
    ['Add a field', 1],
    ['Add a resource', 2],
    ['Add an operation', 2],
    ['Add a member of an answer', 1],
    ['Add a variable', 2],
    ['Add a type of posture check', 2],
    ['Add a config type', 2],
  ])('%s costs %i source files', (title, count) => {
    const { edits = [] } = recipes.find((recipe) => recipe.title === title) ?? {};
    const sources = edits.map(({ file }) => file).filter((file) => !file.startsWith('test/'));
    expect(new Set(sources).size).toBe(count);
  });
});

describe('an edit', () => {
  const edit = (...lines: string[]) => ({ file: 'a.ts', kind: 'diff', lines }) as const;

  test('adds and removes lines beside those that it shows, whatever their indent', () => {
    expect(edited('one\n  two\nthree\n', edit(' two', '+new', '-three'))).toBe('one\n  two\nnew\n');
  });

  test('has several places', () => {
    expect(edited('one\ntwo\n', edit('+a', ' one', '@@', ' two', '+b'))).toBe('a\none\ntwo\nb\n');
  });

  test.each([['other'], ['one']])('of lines that are not there once is refused: %s', (line) => {
    expect(() => edited('one\none\n', edit(` ${line}`, '+a'))).toThrow(/places have these lines/);
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { textOf, pages, proseOf } from './pages.js';
import { recipes } from './recipe.js';

/* Code that the documents name is there: files, functions beside the name of their file, commands. */

const FOLDERS = ['src', 'rest-compat', 'test', 'scripts', 'console/src', 'prisma'];

const sources = ['.', ...FOLDERS].flatMap((folder) =>
  readdirSync(folder, { recursive: folder !== '.', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name)),
);

/** Examples of what a contributor makes. */
const IMAGINED = [
  'supportContact',
  ...recipes.flatMap(({ edits }) =>
    edits.filter(({ kind }) => kind === 'new').map(({ file }) => file),
  ),
];

const FILE = /^[\w./-]+\.(?:ts|tsx|mjs|cjs)$/;

/** A span is the path of a file, or its name alone. */
const filesOf = (span: string): string[] =>
  sources.filter((path) => path === span || (!span.includes('/') && basename(path) === span));

const spansIn = (page: string): string[] =>
  [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);

/** The files and folders of the checkout that a page names by their paths. */
const pathsIn = (page: string): string[] =>
  spansIn(page).filter((span) =>
    /^(?:src|rest-compat|test|scripts|prisma|console)\/[\w./-]+$/.test(span),
  );

/** Paragraphs, entries of lists and rows of tables. */
const partsOf = (page: string): string[] => proseOf(page).split(/\n(?:\n|(?=\s*(?:\d+\.|-|\|)\s))/);

/** "`handler.ts` makes the answer (`answer`)" and "`answer` of `handler.ts`", as pairs of file and name. */
const namedFunctions = (page: string): (readonly [file: string, name: string])[] =>
  partsOf(page).flatMap((part) => [...namesBehindFiles(part), ...namesBeforeFiles(part)]);

function* namesBehindFiles(part: string): Generator<readonly [file: string, name: string]> {
  let file: string | undefined;
  for (const [, span = '', name] of part.matchAll(/`([\w./-]+)`|\(`([a-zA-Z]\w*)`\)/g)) {
    if (FILE.test(span)) file = span;
    else if (name !== undefined && file !== undefined) yield [file, name];
  }
}

function* namesBeforeFiles(part: string): Generator<readonly [file: string, name: string]> {
  for (const [, name = '', file = ''] of part.matchAll(/`([a-zA-Z]\w*)`\sof\s`([^`]+)`/g)) {
    if (FILE.test(file)) yield [file, name];
  }
}

const has = (path: string, word: string): boolean =>
  new RegExp(`\\b${word}\\b`).test(readFileSync(path, 'utf8'));

let words: ReadonlySet<string> | undefined;

/** Every word of the sources. */
const allWords = (): ReadonlySet<string> =>
  (words ??= new Set([
    ...IMAGINED,
    ...sources
      .filter((path) => FILE.test(path))
      .flatMap((path) => readFileSync(path, 'utf8').match(/\w+/g) ?? []),
  ]));

describe('code in the documents', () => {
  test('is found', () => {
    expect(namedFunctions('docs/architecture.md').length).toBeGreaterThan(7);
    expect(pathsIn('docs/architecture.md').length).toBeGreaterThan(50);
  });

  test.each(pages)('%s names files that are there', (page) => {
    const missing = [
      ...pathsIn(page).filter((path) => !existsSync(path)),
      ...spansIn(page).filter((span) => FILE.test(span) && filesOf(span).length === 0),
    ];
    expect(missing.filter((path) => !IMAGINED.includes(path))).toStrictEqual([]);
  });

  test.each(pages)('%s names functions that are in the file beside them', (page) => {
    const missing = namedFunctions(page).filter(
      ([file, name]) => !filesOf(file).some((path) => has(path, name)),
    );
    expect(missing).toStrictEqual([]);
  });

  test.each([
    'docs/architecture.md',
    'docs/contributing.md',
    'docs/reading-the-code.md',
    'docs/recipes.md',
    'docs/recipes-types.md',
  ])('%s names functions, types and options that some file has', (page) => {
    const present = allWords();
    const named = spansIn(page).filter((span) => /^[a-z]+[A-Z]\w*(?:\.\w+)?$/.test(span));
    const missing = named.filter((name) => !name.split('.').every((word) => present.has(word)));
    expect(missing).toStrictEqual([]);
  });

  test.each(pages)('%s names commands of the package', (page) => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const named = [...textOf(page).matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)];
    expect(named.map(([, name = '']) => name).filter((name) => !(name in scripts))).toStrictEqual(
      [],
    );
  });
});

describe('the hour in the code', () => {
  const PAGE = 'docs/reading-the-code.md';
  const [, steps = '', answers = ''] =
    /^## The ten files$(.*)^## The answers$(.*)^## /ms.exec(textOf(PAGE)) ?? [];
  const parts = steps.split(/^(?=\d+\. )/m).slice(1);
  const places = parts.map((part) => /^\d+\. \*\*`([^`]+)`: /.exec(part)?.[1] ?? '');

  test('has ten files, each with a question and its answer', () => {
    expect(parts).toHaveLength(10);
    expect(answers.match(/^\d+\. \S/gm)).toHaveLength(10);
    expect(parts.filter((part) => !/_Question:_ [^?]+\?/.test(part))).toStrictEqual([]);
  });

  test.each(places.map((path, i) => [path, parts[i] ?? ''] as const))(
    'names what is in %s',
    (path, part) => {
      const behindTitle = part.slice(part.indexOf('**', part.indexOf('**') + 2));
      const names = behindTitle.match(/(?<=`)[a-z]+[A-Z]\w*(?=`)/g) ?? [];
      expect(names.filter((name) => !has(path, name))).toStrictEqual([]);
    },
  );
});

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { blocksIn, RUNNING_PAGES, STOPPED_PAGES } from '../e2e/page-blocks.js';
import {
  anchorOf,
  anchorsOf,
  headingsOf,
  linesOf,
  linksOf,
  pages,
  textOf,
  type Link,
} from './pages.js';

/** What holds for every markdown file. */

const README = 'README.md';
const subjects = pages.filter((page) => page.startsWith('docs/'));

function isDead({ file, anchor }: Link): boolean {
  if (!existsSync(file)) return true;
  return anchor !== undefined && !anchorsOf(file).has(anchor);
}

/** The pages that a reader finds who follows links from a page on. */
function reachableFrom(page: string, found = new Set<string>()): Set<string> {
  if (found.has(page)) return found;
  found.add(page);
  for (const { file } of linksOf(page)) if (pages.includes(file)) reachableFrom(file, found);
  return found;
}

/** The links of the line or lines that list the sections of a page. */
function contentsOf(page: string): string[] {
  const [, contents = ''] = /^\*\*On this page:\*\*(.*?)\n\n/ms.exec(textOf(page)) ?? [];
  return [...contents.matchAll(/\(#([^()]+)\)/g)].map(([, anchor = '']) => anchor);
}

describe('the documents', () => {
  test('are found', () => {
    expect(subjects.length).toBeGreaterThan(15);
    expect(pages).toEqual(expect.arrayContaining([README, 'SECURITY.md']));
  });

  test('have no dead links', () => {
    const dead = pages.flatMap(linksOf).filter(isDead);
    expect(dead.map(({ page, target }) => `${page}: ${target}`)).toStrictEqual([]);
  });

  test('are reachable from the README', () => {
    const reachable = reachableFrom(README);
    expect(pages.filter((page) => !reachable.has(page))).toStrictEqual([]);
  });

  test('are short: the README has at most 200 lines, a page at most 400', () => {
    const most = (page: string): number => (page === README ? 200 : 400);
    expect(pages.filter((page) => linesOf(page).length > most(page))).toStrictEqual([]);
  });

  test('name no paths of a machine', () => {
    const own = /(^|[\s`"'(=])(\/(home|root|Users|work|tmp|private|mnt)\/|[A-Z]:\\)/m;
    expect(pages.filter((page) => own.test(textOf(page)))).toStrictEqual([]);
  });
});

describe('a page of docs', () => {
  test.each(subjects)('%s has a title, and a sentence for whom it is', (page) => {
    const [title = '', , first = ''] = linesOf(page);
    expect(title).toMatch(/^# \S/);
    expect(first).toMatch(/^For \S/);
    const [, sentence = ''] = /\n\n(.*?)\n\n/s.exec(textOf(page)) ?? [];
    expect(sentence.split(/\.\s/)).toHaveLength(1);
    expect(sentence).toMatch(/\.$/);
  });

  const long = subjects.filter((page) => linesOf(page).length > 150);
  test.each(long)('%s lists its sections, since it is long', (page) => {
    expect(contentsOf(page)).toStrictEqual(headingsOf(page, 2).map(anchorOf));
  });

  test.each(subjects.filter((page) => contentsOf(page).length > 0))(
    '%s lists all of its sections',
    (page) => {
      expect(contentsOf(page)).toStrictEqual(headingsOf(page, 2).map(anchorOf));
    },
  );
});

describe('the examples', () => {
  const marked = (mark: string): string[] =>
    pages.filter((page) => blocksIn(mark, textOf(page)).length > 0).sort();

  test('run, whichever page they are on', () => {
    expect(marked('sh run')).toStrictEqual([...RUNNING_PAGES].sort());
    expect(marked('sh run stopped')).toStrictEqual([...STOPPED_PAGES].sort());
  });

  test('that show output are compared with it, whichever page they are on', () => {
    const shown = marked('text').filter((page) => !RUNNING_PAGES.includes(page));
    expect(shown).toStrictEqual([]);
  });
});

describe('configuration.md', () => {
  const source = readFileSync('src/programs/configuration.ts', 'utf8');
  const variables = [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name = '']) => name);
  const documented = textOf('docs/configuration.md');

  test('is compared with every variable', () => {
    expect(variables.length).toBeGreaterThan(35);
    expect(variables).toContain('OVERGRAPH_DATA_DIR');
  });

  test.each(variables)('documents %s', (name) => {
    expect(documented).toMatch(new RegExp(`\`${name}(=[^\`]*)?\``));
  });

  test('documents no variable that is gone', () => {
    const named = new Set(documented.match(/\bOVERGRAPH_[A-Z_]+\b/g));
    expect([...named].filter((name) => !variables.includes(name))).toStrictEqual([]);
  });
});

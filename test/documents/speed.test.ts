import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

/** Code that stands only for speed names the line of the benchmark that needs it. */

const STANDS_FOR_SPEED = [
  'src/base/merged.ts',
  'src/base/short-lived.ts',
  'src/data/store/driver-query.ts',
  'src/data/store/locked-rows.ts',
  'src/data/store/row-cache.ts',
  'src/data/store/shared-transaction.ts',
  'src/data/store/statement-names.ts',
  'src/data/store/write-turns.ts',
  'src/inventory/search/search-memory.ts',
  'src/programs/workers/worker-pool.ts',
  'src/trust/auth/proved-passwords.ts',
];

const benchmark = readFileSync('docs/benchmark.md', 'utf8');

/** The first cells of tables, the headings, and the bold words at the begin of a paragraph. */
const lines = new Set(
  [...benchmark.matchAll(/^(?:\| ([^|]+?) +\||#+ (.+)$|\*\*(.+?)\.\*\*)/gm)].map(
    ([, row, heading, topic]) => (row ?? heading ?? topic ?? '').replaceAll('`', ''),
  ),
);

/** The lines that a file names: `docs/benchmark.md, "edit a policy"`. */
const namedIn = (path: string): string[] =>
  [
    ...readFileSync(path, 'utf8')
      .replace(/\n\s*\*\s/g, ' ')
      .matchAll(/docs\/benchmark\.md, "([^"]+)"/g),
  ].map(([, name = '']) => name);

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

test('the sources name lines that the benchmark has', () => {
  const unknown = sources.flatMap((path) =>
    namedIn(path)
      .filter((name) => !lines.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(unknown).toStrictEqual([]);
});

test.each(STANDS_FOR_SPEED)('%s names such a line', (path) => {
  expect(namedIn(path)).not.toStrictEqual([]);
});

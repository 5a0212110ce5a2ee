import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';

/** docs/architecture.md shows how many rows go through models, and how many through statements. */

interface StatementCounts {
  /** Rows of folder, calls of models, statements. */
  readonly statementCounts: () => readonly (readonly [string, number, number])[];
}

const DOCUMENT = 'docs/architecture.md';
const ROW = /^\| (\S+) +\| +(\d+) \| +(\d+) \|$/gm;

test('the counts of models and statements are those of the document', async () => {
  const { statementCounts } = (await import(
    pathToFileURL(join(process.cwd(), 'scripts/statements.mjs')).href
  )) as StatementCounts;
  const rows = [...readFileSync(DOCUMENT, 'utf8').matchAll(ROW)];
  const shown = rows.map(([, folder, models, statements]) => [
    folder,
    Number(models),
    Number(statements),
  ]);
  expect(shown).toStrictEqual(statementCounts());
});

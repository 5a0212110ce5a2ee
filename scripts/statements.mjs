/**
 * `npm run statements`: counts the calls of models and the statements of SQL, by the folder of their
 * table's home, as a table for docs/architecture.md.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/** Where statements stand; `src/data/rows` by its homes. */
const FOLDERS = [
  ...readdirSync(join(root, 'src/data/rows')).map((home) => `src/data/rows/${home}`),
  'src/kernel',
  'src/data/store',
];

const MODEL = /\((models?)\) =>\s+\1\.\w/g;
const STATEMENT = /\bsql(<[^`]*>)?`\s*\(*(select|insert|update|delete|with)\b/gi;

/** Rows of folder, calls of models, statements; the last one is their sum. */
export function statementCounts() {
  const counts = FOLDERS.map((folder) => {
    const text = textOf(folder);
    return [`\`${folder}\``, count(text, MODEL), count(text, STATEMENT)];
  });
  const sum = (i) => counts.reduce((total, row) => total + row[i], 0);
  return [...counts, ['all', sum(1), sum(2)]];
}

const count = (text, pattern) => [...text.matchAll(pattern)].length;

const textOf = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

if (process.argv[1] === import.meta.filename) {
  const lines = [['', 'models', 'SQL'], ['---', '---:', '---:'], ...statementCounts()];
  process.stdout.write(lines.map((row) => `| ${row.join(' | ')} |\n`).join(''));
}

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

test('every test that the threat model names is there', async () => {
  const text = await readFile('docs/security.md', 'utf8');
  const named = [...text.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, file]) => String(file));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((file) => !existsSync(file))).toStrictEqual([]);
});

test('every threat of the model names what stops it and what shows that', async () => {
  const text = await readFile('docs/security.md', 'utf8');
  const threats = text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| *(?:threat|-)/.test(line))
    .map((line) => line.split('|').slice(1, -1))
    .filter((cells) => cells.length === 3);
  const unshown = threats.filter((cells) => !/`test\//.test(cells[2] ?? ''));
  expect(threats.length).toBeGreaterThan(40);
  expect(unshown).toStrictEqual([]);
});

test('every trust in memory names what ends it, when at the latest, and what shows that', async () => {
  const text = await readFile('docs/security.md', 'utf8');
  const [, section = ''] = text.split('## Trust that is kept in memory');
  const rows = (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| *(?:trust|-)/.test(line))
    .map((line) => line.split('|').slice(1, -1));
  expect(rows.length).toBeGreaterThan(10);
  const incomplete = rows.filter(
    (cells) =>
      cells.length !== 4 ||
      cells.some((cell) => cell.trim() === '') ||
      !/`test\//.test(cells[3] ?? ''),
  );
  expect(incomplete).toStrictEqual([]);
});

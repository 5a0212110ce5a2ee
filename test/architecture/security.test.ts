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

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';

/* The page about the architecture, the folders and the order of imports are the same rooms. */

const page = readFileSync('docs/architecture.md', 'utf8');

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string | readonly string[] };
}

const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  readonly forbidden: readonly Rule[];
};

/** The rooms from the highest to the lowest; the highest is the one that no rule forbids to look down. */
const ordered = forbidden
  .filter(({ from }) => /^\^(?:src|rest-compat)\//.test(String(from.path)))
  .flatMap(({ name }) => /^(.*)-imports-downwards$/.exec(name)?.[1] ?? [])
  .concat('programs')
  .reverse();

const foldersIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'emitted')
    .map(({ name }) => name)
    .sort();

const first = foldersIn('src');
const second = first.flatMap((room) => foldersIn(`src/${room}`).map((name) => `${room}/${name}`));

describe('the drawing', () => {
  const [, drawing = ''] = /^## The drawing$.*?^```\n(.*?)^```$/ms.exec(page) ?? [];
  const drawn = drawing.split('\n').flatMap((line) => {
    const [, room, beside] = /^ {3}([a-z]+) {2}|(rest-compat) \(beside src\)/.exec(line) ?? [];
    return room ?? beside ?? [];
  });

  test('has the rooms in the order of their imports', () => {
    expect(drawn).toStrictEqual(ordered);
  });

  test('has every folder of src, and rest-compat beside it', () => {
    expect([...drawn].sort()).toStrictEqual([...first, 'rest-compat'].sort());
  });
});

describe('the table of rooms', () => {
  const [, table = ''] = /^## The rooms$(.*?)^## /ms.exec(page) ?? [];
  /** `<…>` stands for every folder of its kind. */
  const named = [...table.matchAll(/^\|[^|]*\|([^|]+)\|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)])
    .map(([, path = '']) => path.replace(/^src\//, ''));
  const placeholders = named.filter((path) => path.includes('<'));

  test('has every first folder of src, or those in it', () => {
    const rooms = new Set(named.map((path) => path.split('/')[0]));
    expect(first.filter((room) => !rooms.has(room))).toStrictEqual([]);
  });

  test('has every second folder of src', () => {
    const isNamed = (folder: string): boolean =>
      [folder, `${folder.split('/')[0] ?? ''}/<area>`].some((path) => named.includes(path)) ||
      placeholders.some((path) => path.startsWith(`${folder}/`));
    expect(second.filter((folder) => !isNamed(folder))).toStrictEqual([]);
  });

  test('has no folder that is gone', () => {
    const present = [
      ...first,
      ...second,
      ...foldersIn('rest-compat').map((f) => `rest-compat/${f}`),
    ];
    const gone = named
      .map((path) => path.replace(/\/(?:<\w+>|\*\.ts)$/, ''))
      .filter((path) => !present.includes(path));
    expect(gone).toStrictEqual([]);
  });
});

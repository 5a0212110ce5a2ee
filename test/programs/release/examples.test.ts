import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

/** What the examples of deployment name is there: files, commands and variables. */

const read = (path: string): string => readFileSync(path, 'utf8');
const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

const unit = read('examples/overgraph.service');
const image = read('examples/Containerfile');
const known = new Set(
  all(read('src/programs/configuration.ts'), /^ {2}(OVERGRAPH_\w+|DATABASE_URL|OTEL_\w+):/gm),
);
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

describe('the examples', () => {
  test.each([
    ['unit', unit],
    ['image', image],
    ['health check', read('examples/healthy.mjs')],
  ])('name variables that are read: %s', (_, text) => {
    const named = all(text, /\b((?:OVERGRAPH|OTEL)_[A-Z_]+|DATABASE_URL)\b/g);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !known.has(name))).toStrictEqual([]);
  });

  test('name commands and files that exist', () => {
    const text = unit + image;
    const commands = all(text, /npm run ([\w-]+)/g);
    expect(commands).not.toHaveLength(0);
    expect(commands.filter((name) => scripts[name] === undefined)).toStrictEqual([]);
    const files = [
      ...all(text, /\bnode ([\w./-]+\.m?js)/g),
      ...all(text, /-f (\S+)/g),
      ...all(text, /"([\w./-]+\.m?js)"/g),
    ];
    expect(files).toStrictEqual(
      expect.arrayContaining(['dist/program/main.js', 'scripts/build.mjs']),
    );
    expect(files.filter((path) => !existsSync(path))).toStrictEqual([]);
  });
});

describe('the image', () => {
  const stages = image.split(/^FROM /m).slice(1);
  const last = stages.at(-1) ?? '';
  const copied = all(last, /COPY --from=build \/app\/(\S+)/g);

  test('is built from what is in the checkout', () => {
    expect(stages).toHaveLength(2);
    expect(
      all(stages[0] ?? '', /^COPY ([^\n]+) \.\/$/gm)
        .join(' ')
        .split(' '),
    ).toStrictEqual(['package.json', 'package-lock.json', '.npmrc']);
    expect(copied.filter((path) => !existsSync(path))).toStrictEqual([]);
  });

  test('holds no package that only builds or tests the program', () => {
    expect(all(stages[0] ?? '', /^RUN ([^\n]+)$/gm)).toStrictEqual([
      'npm ci',
      'node scripts/build.mjs && node scripts/dependencies/prune.mjs',
    ]);
  });

  test('holds what the program reads, and runs it as somebody else than root', () => {
    expect(copied).toStrictEqual(
      expect.arrayContaining(['package.json', 'node_modules', 'dist', 'prisma']),
    );
    const run = all(last, /"([\w./-]+\.m?js)"/g);
    expect(run).toHaveLength(2);
    expect(
      run.filter((path) => !copied.some((p) => path === p || path.startsWith(`${p}/`))),
    ).toStrictEqual([]);
    expect(all(last, /^USER (\w+)$/gm)).toStrictEqual(['node']);
  });
});

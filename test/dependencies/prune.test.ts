import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makeProject, runScript } from './project.js';

/** What stays installed where the controller only runs. */

const PROGRAM = {
  'node_modules/program': {
    dependencies: { shared: '^1.0.0' },
    optionalDependencies: { native: '^1.0.0' },
    peerDependencies: { peer: '^1.0.0', 'command-line': '*' },
    peerDependenciesMeta: { 'command-line': { optional: true } },
  },
  'node_modules/program/node_modules/shared': { version: '2.0.0' },
  'node_modules/native': { optional: true, os: ['aix'] },
  'node_modules/peer': { peer: true },
};
const DEVELOPMENT = {
  'node_modules/command-line': { devOptional: true, dev: true, dependencies: { engine: '^1.0.0' } },
  'node_modules/engine': { devOptional: true },
  'node_modules/tool': { dev: true, dependencies: { shared: '^1.0.0' } },
  'node_modules/tool/node_modules/nested': { dev: true },
  'node_modules/shared': { devOptional: true },
};

test('packages that the program requires stay, an optional peer and development tools go', async () => {
  const entries = { ...PROGRAM, ...DEVELOPMENT };
  const installed = Object.fromEntries(Object.keys(entries).map((path) => [path, {}]));
  const folder = await makeProject({ entries, installed });
  const programs = join(folder, 'node_modules/.bin');
  await mkdir(programs);
  await symlink('../tool/package.json', join(programs, 'tool'));
  await symlink('../program/package.json', join(programs, 'program'));
  await writeFile(join(folder, 'node_modules/.package-lock.json'), '{}');

  expect(await runScript('dependencies/prune.mjs', [folder])).toStrictEqual({ code: 0, lines: [] });

  const left = Object.keys(entries).filter((path) => existsSync(join(folder, path)));
  expect(left).toStrictEqual(Object.keys(PROGRAM));
  expect(existsSync(join(programs, 'program'))).toBe(true);
  expect(existsSync(join(programs, 'tool'))).toBe(false);
  expect(existsSync(join(folder, 'node_modules/.package-lock.json'))).toBe(false);
});

test('packages of a workspace go: they are part of its built files', async () => {
  const entries = {
    '': { workspaces: ['pages'] },
    pages: { dependencies: { library: '1.0.0' } },
    'node_modules/program': {},
    'node_modules/library': { dependencies: { part: '^1.0.0' } },
    'node_modules/part': {},
  };
  const paths = Object.keys(entries).filter((path) => path.startsWith('node_modules/'));
  const folder = await makeProject({
    entries,
    installed: Object.fromEntries(paths.map((path) => [path, {}])),
    direct: { program: '1.0.0' },
  });
  expect(await runScript('dependencies/prune.mjs', [folder])).toStrictEqual({ code: 0, lines: [] });
  expect(paths.filter((path) => existsSync(join(folder, path)))).toEqual(['node_modules/program']);
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { CHECKSUM, makeProject, runScript } from './project.js';

/** Nothing is installed but pinned packages of the registry whose content is known. */

describe('the lock file', () => {
  test('names packages of the registry with their checksums, some under another name', async () => {
    const folder = await makeProject({
      entries: {
        'node_modules/plain': { dependencies: { alias: 'npm:real@^1.0.0' } },
        'node_modules/alias': { name: 'real' },
        'node_modules/plain/node_modules/@scope/nested': {},
      },
    });
    expect(await runScript('dependencies/sources.mjs', [folder])).toStrictEqual({
      code: 0,
      lines: [],
    });
  });

  test('links to the workspaces of the product, whose packages are pinned, too', async () => {
    const folder = await makeProject({
      entries: {
        '': { workspaces: ['pages'] },
        pages: { integrity: undefined, dependencies: { library: '1.0.0' } },
        'node_modules/product-pages': { resolved: 'pages', link: true, integrity: undefined },
        'pages/node_modules/library': {},
      },
      installed: { pages: { dependencies: { library: '1.0.0', other: '^1.0.0' } } },
    });
    expect(await runScript('dependencies/sources.mjs', [folder])).toStrictEqual({
      code: 1,
      lines: ['pages/package.json: other is not pinned to a version: ^1.0.0'],
    });
  });

  test('names no package without a strong checksum, from elsewhere, or in the place of another', async () => {
    const folder = await makeProject({
      entries: {
        'node_modules/bare': { integrity: undefined },
        'node_modules/weak': { integrity: 'sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
        'node_modules/both': { integrity: `sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA= ${CHECKSUM}` },
        'node_modules/git': { resolved: 'git+ssh://git@example.com/a/b.git#0123' },
        'node_modules/http': { resolved: 'http://example.com/http-1.0.0.tgz' },
        'node_modules/link': { resolved: '../link', link: true },
        'node_modules/other': { name: 'evil' },
      },
    });
    const { code, lines } = await runScript('dependencies/sources.mjs', [folder]);
    expect(code).toBe(1);
    expect(lines).toStrictEqual(
      [
        'bare has no SHA-512 checksum',
        'weak has no SHA-512 checksum',
        'both has no SHA-512 checksum',
        'git comes from elsewhere: git+ssh://git@example.com/a/b.git#0123',
        'http comes from elsewhere: http://example.com/http-1.0.0.tgz',
        'link comes from elsewhere: ../link',
        'other is evil, which no package asks for under this name',
      ].map((fault) => `package-lock.json: node_modules/${fault}`),
    );
  });
});

describe('package.json', () => {
  test('pins every direct dependency and override', async () => {
    const manifest = {
      dependencies: { exact: '1.2.3', candidate: '2.0.0-rc.4', range: '^1.0.0', any: '*' },
      devDependencies: { tag: 'latest', git: 'github:a/b', http: 'https://example.com/a.tgz' },
      optionalDependencies: { file: 'file:../file' },
      overrides: { plain: '1.0.0', outer: { '.': '1.0.0', inner: '>=1.0.0' } },
    };
    const folder = await makeProject({ entries: {}, manifest });
    const { code, lines } = await runScript('dependencies/sources.mjs', [folder]);
    expect(code).toBe(1);
    expect(lines).toStrictEqual(
      [
        'range is not pinned to a version: ^1.0.0',
        'any is not pinned to a version: *',
        'tag is not pinned to a version: latest',
        'git is not pinned to a version: github:a/b',
        'http is not pinned to a version: https://example.com/a.tgz',
        'file is not pinned to a version: file:../file',
        'inner is not pinned to a version: >=1.0.0',
      ].map((fault) => `package.json: ${fault}`),
    );
  });
});

test('an installation runs no program of a package', () => {
  expect(readFileSync('.npmrc', 'utf8').split('\n')).toContain('ignore-scripts=true');
});

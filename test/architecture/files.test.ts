import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

/** What holds for every file of the checkout that somebody writes by hand. */

const FOLDERS = ['src', 'rest-compat', 'test', 'scripts', 'console/src'];
const GENERATED = /^(src\/(network\/messages|data\/prisma|programs)|console\/src)\/emitted\//;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
).filter((path) => !GENERATED.test(path));

describe('files', () => {
  test('are found', () => {
    expect(files.length).toBeGreaterThan(200);
  });

  test('have at most 400 lines, blank ones and comments apart', () => {
    const isCode = (line: string): boolean => !/^\s*($|\/\/|\/?\*)/.test(line);
    const long = files.filter(
      (path) => readFileSync(path, 'utf8').split('\n').filter(isCode).length > 400,
    );
    expect(long).toStrictEqual([]);
  });

  test('have names in kebab case', () => {
    const odd = files.filter(
      (path) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.(tsx?|mjs)$/.test(basename(path)),
    );
    expect(odd).toStrictEqual([]);
  });

  test('have a name of their own in the sources, but for the doors of modules', () => {
    const names = files
      .filter((path) => /^(src|rest-compat)\//.test(path))
      .map((path) => basename(path))
      .filter((name) => name !== 'index.ts');
    const twice = names.filter((name, i) => names.indexOf(name) !== i);
    // The resource, and the values that it is made of.
    expect(twice.sort()).toStrictEqual(['certificate-details.ts', 'circuit.ts']);
  });

  test('leave nothing for later', () => {
    const marks = new RegExp(
      `\\b(${['TO', 'FIX'].map((m) => `${m}${m === 'TO' ? 'DO' : 'ME'}`).join('|')})\\b`,
    );
    expect(files.filter((path) => marks.test(readFileSync(path, 'utf8')))).toStrictEqual([]);
  });

  test('suppress a rule only with its reason', () => {
    const bare = files.filter((path) =>
      /(eslint-disable|@ts-(ignore|expect-error|nocheck))(?!.*\s(--|:)\s)/.test(
        readFileSync(path, 'utf8').replace(/^.*\(eslint-disable.*$/gm, ''),
      ),
    );
    expect(bare).toStrictEqual([]);
  });
});

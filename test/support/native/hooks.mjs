/**
 * How Node finds and reads the modules of a test file; it calls these in a thread of their own.
 * A test file is imported as `…test.ts?file=N`, and what it imports from `test/` gets the same
 * query: a module of its own for each test file. All else is shared by the files of a worker.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.cjs';

const tests = new URL('../../', import.meta.url).href;
const globals = new URL('./globals.mjs', import.meta.url).href;

export async function resolve(specifier, context, next) {
  const parent = context.parentURL;
  if (!parent?.startsWith('file:')) return next(specifier, context);
  const { search } = new URL(parent);
  if (specifier === '@jest/globals') return { url: globals + search, shortCircuit: true };
  if (!/^\.{1,2}\//.test(specifier)) return next(specifier, context);
  const url = new URL(specifier, parent);
  const typescript = new URL(url.href.replace(/\.js$/, '.ts'));
  if (existsSync(typescript)) url.pathname = typescript.pathname;
  if (url.href.startsWith(tests)) url.search = search;
  return next(url.href, context);
}

export async function load(url, context, next) {
  const { pathname } = new URL(url);
  if (!pathname.endsWith('.ts')) return next(url, context);
  const path = fileURLToPath(url);
  const { code } = compile(path, await readFile(path, 'utf8'));
  return { format: 'module', source: code, shortCircuit: true };
}

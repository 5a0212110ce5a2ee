import 'reflect-metadata';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { openApiDocument, restRows } from '../rest-compat/index.js';
import { buildGraph, operations } from './graph/index.js';
import { catalog } from './resources/index.js';
import { COMPATIBLE_VERSION } from './version.js';

/*
 * `emit [--check] [folder]`: writes the schemas of both doors, or compares them with what was
 * committed. Needs no database; equal sources give equal bytes.
 */

const COMMITTED = fileURLToPath(new URL('../../schema', import.meta.url));

/** File name -> text. */
async function schemas(): Promise<ReadonlyMap<string, string>> {
  const rows = restRows(catalog);
  const pretty = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;
  const graph = lexicographicSortSchema(await buildGraph(catalog, operations));
  return new Map([
    ['schema.graphql', `${printSchema(graph)}\n`],
    ['edge-client.json', pretty(openApiDocument(rows, 'client', COMPATIBLE_VERSION))],
    ['edge-management.json', pretty(openApiDocument(rows, 'management', COMPATIBLE_VERSION))],
  ]);
}

async function emit(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
}

/** Names every file that is missing or differs from what the sources give. */
async function staleFiles(folder: string, files: ReadonlyMap<string, string>): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of files) {
    const committed = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (committed !== text) stale.push(name);
  }
  return stale;
}

const args = process.argv.slice(2);
const folder = args.find((arg) => !arg.startsWith('--')) ?? COMMITTED;
const files = await schemas();
if (args.includes('--check')) {
  const stale = await staleFiles(folder, files);
  for (const name of stale) {
    console.error(`schema/${name} is stale: run \`npm run emit\` and commit what it writes`);
  }
  if (stale.length > 0) process.exitCode = 1;
} else {
  await emit(folder, files);
}

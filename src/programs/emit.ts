import 'reflect-metadata';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  assertValidSchema,
  lexicographicSortSchema,
  printSchema,
  type GraphQLSchema,
} from 'graphql';
import { faultsOfRows, openApiDocument, restRows } from '../../rest-compat/index.js';
import { buildGraph, operations } from '../graph/index.js';
import { inputNameOf, isWritable } from '../kernel/declare/attribute.js';
import { storedAttribute } from '../kernel/declare/match.js';
import { may, type Permission } from '../kernel/declare/permissions.js';
import type { Resource } from '../kernel/declare/resource.js';
import { alsoReadBy, permissionOf } from '../kernel/graph/needs.js';
import { faultsAgainstRelease, release } from './release/released-schemas.js';
import { catalog } from '../resources/index.js';
import { prismaSchema } from '../data/store/schema/prisma-schema.js';
import { declaredTables } from '../data/store/tables/index.js';
import { COMPATIBLE_VERSION } from './controller/version.js';

/*
 * `emit [--check] [folder]`: writes the schemas of all interfaces, or compares them with the committed
 * ones. Without a folder this includes the schema of the database for Prisma. It needs no database; equal
 * sources give equal bytes.
 * `emit --breaking [folder]`: compares them with the schemas of the last release in the folder.
 * `emit --release [folder]`: makes them the schemas of the last release.
 */

const COMMITTED = fileURLToPath(new URL('../../../schema', import.meta.url));
const PRISMA = fileURLToPath(new URL('../../../prisma', import.meta.url));
const RELEASED = join(COMMITTED, 'released');

const ADVICE =
  'clients of the last release would break: keep what they use, or decide on the break by a line in schema/released/allowed-breaks.json';

/**
 * Gives the permission that each operation of the graph needs, for programs that offer only what
 * their caller may do: `Query.services` needs `service.read`. Several are joined by `+`.
 */
function permissionsOf(schema: GraphQLSchema): string {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const permissions = roots.map((root) => [
    root?.name ?? '',
    Object.fromEntries(
      Object.entries(root?.getFields() ?? {})
        .map(([name, field]) => [name, permissionsOfField(field)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  ]);
  return `${JSON.stringify(Object.fromEntries(permissions), null, 2)}\n`;
}

function permissionsOfField(field: Parameters<typeof permissionOf>[0]): string {
  const further = alsoReadBy(field).map((entity) => wordsOf(may(entity, 'read')));
  return [...new Set([wordsOf(permissionOf(field)), ...further])].join('+');
}

/**
 * Gives the entities that the controller keeps with those of another type, for programs that offer
 * no change that it refuses. Members have the names that inputs give them.
 */
function keptEntities(): string {
  const factsByType = [...catalog.all()].flatMap((resource) => {
    const { keptWith } = resource.options;
    if (!keptWith) return [];
    const updated = keptWith.attributes
      .map((name) => storedAttribute(resource, name))
      .filter((attribute) => isWritable(attribute, 'update'));
    const facts = {
      type: keptWith.resource,
      kept: withInputNames(resource, keptWith.kept),
      madeFor: withInputNames(catalog.get(keptWith.resource), keptWith.madeFor),
      members: updated.map(inputNameOf),
    };
    return [[resource.name, facts] as const];
  });
  return `${JSON.stringify(Object.fromEntries(factsByType), null, 2)}\n`;
}

const withInputNames = (resource: Resource, values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      inputNameOf(storedAttribute(resource, name)),
      value as unknown,
    ]),
  );

/** It does not tell which rows a caller sees without the permission. */
function wordsOf(permission: Permission | undefined): string {
  if (permission?.need === 'entity') return `${permission.entity}.${permission.action}`;
  return permission?.need ?? 'nothing';
}

/** File name -> text. */
function schemas(schema: GraphQLSchema): ReadonlyMap<string, string> {
  const pretty = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;
  const rows = restRows(catalog, schema);
  const faults = faultsOfRows(rows, schema);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return new Map([
    ['schema.graphql', `${printSchema(lexicographicSortSchema(schema))}\n`],
    ['edge-client.json', pretty(openApiDocument(rows, 'client', COMPATIBLE_VERSION))],
    ['edge-management.json', pretty(openApiDocument(rows, 'management', COMPATIBLE_VERSION))],
    ['fabric.json', pretty(openApiDocument(rows, 'fabric', COMPATIBLE_VERSION))],
  ]);
}

async function emit(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
}

/** Gives the folders to write, each with its files. */
const outputs = (): [folder: string, files: ReadonlyMap<string, string>][] =>
  folderArgument === undefined
    ? [
        [COMMITTED, new Map([...files, ...facts])],
        [PRISMA, new Map([['schema.prisma', prismaSchema(declaredTables(catalog))]])],
      ]
    : [[folderArgument, new Map([...files, ...facts])]];

/** Gives the files that are missing or differ from the emitted ones. */
async function staleFiles(folder: string, files: ReadonlyMap<string, string>): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of files) {
    const committed = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (committed !== text) stale.push(name);
  }
  return stale;
}

const args = process.argv.slice(2);
const folderArgument = args.find((arg) => !arg.startsWith('--'));
const released = folderArgument ?? RELEASED;
const graph = await buildGraph(catalog, operations);
assertValidSchema(graph);
const files = schemas(graph);
/** No interfaces, so that they are not compared with a release. */
const facts = new Map([
  ['kept-entities.json', keptEntities()],
  ['permissions.json', permissionsOf(graph)],
]);
if (args.includes('--release')) {
  await mkdir(released, { recursive: true });
  await release(released, files);
} else if (args.includes('--breaking')) {
  const faults = await faultsAgainstRelease(released, files);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error(ADVICE);
    process.exitCode = 1;
  }
} else if (args.includes('--check')) {
  for (const [folder, emitted] of outputs()) {
    for (const name of await staleFiles(folder, emitted)) {
      const path = `${name.endsWith('.prisma') ? 'prisma' : 'schema'}/${name}`;
      console.error(`${path} is stale: run \`npm run emit\` and commit what it writes`);
      process.exitCode = 1;
    }
  }
} else {
  for (const [folder, emitted] of outputs()) await emit(folder, emitted);
}

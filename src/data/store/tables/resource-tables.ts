import type { Catalog } from '../../../kernel/declare/catalog.js';
import { storedAttributes, uniqueOf, type Resource } from '../../../kernel/declare/resource.js';
import {
  namedColumns,
  tableOf,
  type Column,
  type Index,
  type Table,
} from '../../../kernel/declare/table.js';
import { upperFirst } from '../../../base/names.js';
import { columnOfAttribute } from './attribute-column.js';

/** The tables of the resources. Several resources may share a table, each with its own attributes. */
export function resourceTables(catalog: Catalog): Table[] {
  const sharers = new Map<string, Resource[]>();
  for (const resource of writtenFirst(catalog)) {
    sharers.set(resource.table, [...(sharers.get(resource.table) ?? []), resource]);
  }
  return [...sharers].map(([name, resources]) => tableOfResources(name, resources, catalog));
}

/**
 * Resources that own their rows come first: their declaration of a column overrides that of a view.
 */
const writtenFirst = (catalog: Catalog): Resource[] => {
  const stored = catalog.stored();
  return [...stored, ...[...catalog.all()].filter((r) => !stored.includes(r))];
};

function tableOfResources(name: string, resources: readonly Resource[], catalog: Catalog): Table {
  const [first] = resources;
  const storages = resources.flatMap(({ options }) => options.storage ?? []);
  const key = storages.find((storage) => storage.key)?.key;
  return tableOf(name, columnsOf(resources, catalog), {
    model: upperFirst(first?.model ?? name),
    description: first?.options.description ?? '',
    indexes: distinct(
      [...resources.flatMap(uniqueIndexes), ...storages.flatMap(({ indexes }) => indexes ?? [])],
      (index) => JSON.stringify(index),
    ),
    ...(key && { key }),
    isUnlogged: storages.some(({ isUnlogged }) => isUnlogged),
  });
}

function columnsOf(resources: readonly Resource[], catalog: Catalog): Column[] {
  const columns = resources.flatMap((resource) => [
    ...storedAttributes(resource).map((a) => columnOfAttribute(a, catalog)),
    ...namedColumns(resource.options.storage?.columns ?? {}),
  ]);
  return distinct(columns, ({ name }) => name);
}

const uniqueIndexes = (resource: Resource): Index[] =>
  uniqueOf(resource).map((on) => ({ on, isUnique: true }));

/** The items without duplicates; the first of each key stays. */
const distinct = <T>(all: readonly T[], keyOf: (one: T) => string): T[] => {
  const first = new Map<string, T>();
  for (const one of all) if (!first.has(keyOf(one))) first.set(keyOf(one), one);
  return [...first.values()];
};

import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { resourceRows } from './catalog-rows.js';
import type { RestRow } from '../engine/rest-row.js';

/**
 * `/transit-routers` is `/routers` under an older name. Both show routers of either kind and delete
 * them; what they create and change are transit routers.
 */
export function routerRows(catalog: Catalog): RestRow[] {
  return [
    ...resourceRows(catalog.resources.Router, catalog, 'transit-routers'),
    ...['routers', 'transit-routers'].flatMap((collection) => writeRows(catalog, collection)),
  ];
}

const writeRows = (catalog: Catalog, collection: string): RestRow[] =>
  resourceRows(catalog.resources.TransitRouter, catalog, collection)
    .filter(({ method }) => method !== 'GET')
    .map((row) => ({ ...row, on: ['management'], ...(row.method === 'DELETE' ? DELETION : {}) }));

const DELETION = {
  summary: 'Deletes a router of either kind.',
  document:
    'mutation ($id: ID!, $ifRevision: Int) { result: deleteAnyRouter(id: $id, ifRevision: $ifRevision) }',
};

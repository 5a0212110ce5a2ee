import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { resourceRows } from './catalog-rows.js';
import type { RestRow } from '../engine/rest-row.js';

/**
 * `/transit-routers` is an older name of `/routers`. Both list and delete routers of either kind,
 * but create and change only transit routers.
 */
export function transitRouterRows(catalog: Catalog): RestRow[] {
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

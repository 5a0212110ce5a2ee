import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { SESSION } from '../../src/kernel/declare/permissions.js';
import { CLIENT } from '../../src/kernel/graph/rest-operation.js';
import type { RestRow } from '../engine/rest-row.js';
import { resourceRows } from './catalog-rows.js';

/** Access offers and requests on the client interface: those that are visible to the caller. */
export const clientAccessRows = (catalog: Catalog): RestRow[] =>
  [catalog.resources.AccessOffer, catalog.resources.AccessRequest]
    .flatMap((resource) => resourceRows(resource, catalog, resource.options.path))
    .filter(({ method }) => method === 'GET')
    .map((row) => ({ ...row, on: CLIENT, permission: SESSION }));

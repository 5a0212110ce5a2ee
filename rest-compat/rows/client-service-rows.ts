import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { ADMIN } from '../../src/kernel/declare/permissions.js';
import { CLIENT } from '../../src/kernel/graph/rest-operation.js';
import type { RestRow } from '../engine/rest-row.js';
import { resourceRows } from './catalog-rows.js';

/** The writes of services on the client interface, which need an administrator. */
export const clientServiceRows = (catalog: Catalog): RestRow[] =>
  resourceRows(catalog.resources.Service, catalog, 'services')
    .filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method))
    .map((row) => ({ ...row, on: CLIENT, permission: ADMIN }));

import type { GraphQLSchema } from 'graphql';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { declaredRows } from '../declared/declared-rows.js';
import type { RestRow } from '../engine/rest-row.js';
import { catalogRows } from './catalog-rows.js';
import { fabricRows } from './fabric-rows.js';
import { clientAccessRows } from './client-access-rows.js';
import { clientServiceRows } from './client-service-rows.js';
import { clientViewRows } from './client-view-rows.js';
import { ownListRows } from './own-list-rows.js';
import { transitRouterRows } from './transit-router-rows.js';

/** Every operation of the REST interfaces. */
export function restRows(catalog: Catalog, schema: GraphQLSchema): RestRow[] {
  return [
    ...declaredRows(catalog, schema),
    ...ownListRows(catalog),
    ...clientAccessRows(catalog),
    ...clientServiceRows(catalog),
    ...clientViewRows(catalog),
    ...catalogRows(catalog),
    ...transitRouterRows(catalog),
    ...fabricRows(catalog),
  ];
}

import type { GraphQLSchema } from 'graphql';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { analysisRows } from './analysis-rows.js';
import { catalogRows } from './catalog-rows.js';
import { clientSessionRows } from './client-session-rows.js';
import { clientViewRows } from './client-view-rows.js';
import { declaredRows } from '../declared/declared-rows.js';
import { controllersRow } from './operation-rows.js';
import { ownListRows } from './own-list-rows.js';
import { enrollRows } from './enroll-rows.js';
import { findingRows } from './finding-rows.js';
import { informationRows } from './information-rows.js';
import { postureRows } from './posture-rows.js';
import type { RestRow } from '../engine/rest-row.js';
import { routerRows } from './router-rows.js';
import { sessionCertificateRows } from './session-certificate-rows.js';
import { clientServiceRows, sessionRows } from './session-rows.js';
import { whatIfRows } from './what-if-rows.js';

/** Every operation of both REST interfaces. */
export function restRows(catalog: Catalog, schema: GraphQLSchema): RestRow[] {
  return [
    ...declaredRows(catalog, schema),
    ...ownListRows(catalog),
    controllersRow(catalog),
    ...informationRows(),
    ...sessionRows(catalog),
    ...clientServiceRows(catalog),
    ...clientViewRows(catalog),
    ...sessionCertificateRows(catalog),
    ...clientSessionRows(catalog),
    ...postureRows(),
    ...enrollRows(catalog),
    ...analysisRows(),
    ...whatIfRows(),
    ...findingRows(),
    ...catalogRows(catalog),
    ...routerRows(catalog),
  ];
}

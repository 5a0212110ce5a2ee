import type { Catalog } from '../../../kernel/declare/catalog.js';
import type { Table } from '../../../kernel/declare/table.js';
import { fabricTables } from './fabric-tables.js';
import { loginTables } from './login-tables.js';
import { networkTables } from './network-tables.js';
import { postureTables } from './posture-tables.js';
import { presenceTables } from './presence-tables.js';
import { resourceTables } from './resource-tables.js';
import { reviewTables } from './review-tables.js';
import { serviceTables } from './service-tables.js';

/** All tables of the database: those of the resources, and all others. */
export const declaredTables = (catalog: Catalog): Table[] => [
  ...resourceTables(catalog),
  ...serviceTables,
  ...loginTables,
  ...postureTables,
  ...presenceTables,
  ...fabricTables,
  ...reviewTables,
  ...networkTables,
];

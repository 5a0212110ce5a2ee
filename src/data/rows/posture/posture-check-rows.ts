import { sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/* Posture checks. Which members a check has depends on its type; those of other types are empty. */

/** Of no effect on a verdict. All other columns are read, so a new type of check is read with its own. */
const UNUSED = { tags: true, isSystem: true, version: true, roleAttributes: true } as const;

export type StoredCheck = Omit<TableRow<'PostureCheck'>, keyof typeof UNUSED>;

export const all = (rows: Rows): Promise<StoredCheck[]> =>
  rows.readModel((models) => models.postureCheck.findMany({ omit: UNUSED }));

/** A check and its type. */
export interface CheckType {
  readonly id: string;
  readonly typeId: string;
}

/** Any number of checks with their types, for statements that add those of deleted checks. */
export const typesSql = (ids: readonly string[]): Sql<CheckType> =>
  sql<CheckType>`select id, type_id as "typeId" from posture_check where id = any(${[...ids]}::text[])`;

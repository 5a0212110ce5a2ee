import { sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';

/* Posture checks. Which members a check has depends on its type; those of other types are empty. */

type Unused = 'tags' | 'isSystem' | 'version' | 'roleAttributes';

/** Complete: the compiler asks for the columns of a new type of posture check. */
const CHECK = {
  ...{ id: true, createdAt: true, updatedAt: true, revision: true, name: true, typeId: true },
  ...{ domains: true, macAddresses: true, operatingSystems: true, process: true, processes: true },
  ...{ semantic: true, timeoutSeconds: true, promptOnWake: true, promptOnUnlock: true },
  ignoreLegacyEndpoints: true,
} as const satisfies Record<Exclude<keyof TableRow<'PostureCheck'>, Unused>, true>;

export type StoredCheck = Selected<'PostureCheck', typeof CHECK>;

export const all = (rows: Rows): Promise<StoredCheck[]> =>
  rows.readModel((models) => models.postureCheck.findMany({ select: CHECK }));

/** A check and its type. */
export interface CheckType {
  readonly id: string;
  readonly typeId: string;
}

/** Any number of checks with their types, for statements that add those of deleted checks. */
export const typesSql = (ids: readonly string[]): Sql<CheckType> =>
  sql<CheckType>`select id, type_id as "typeId" from posture_check where id = any(${[...ids]}::text[])`;

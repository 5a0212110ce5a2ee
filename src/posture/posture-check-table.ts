import { snakeCase } from '../base/names.js';
import { join, raw, sql, type Queryable } from '../base/sql.js';
import type { PostureCheckRecord } from './evaluate-policies.js';
import { checkAttributes } from './posture-types.js';

export type HeldCheck = PostureCheckRecord & { readonly revision: number };

/** Rows of the log have times as texts. */
export type CheckRow = Omit<HeldCheck, 'createdAt' | 'updatedAt'> & {
  readonly createdAt: Date | string;
  readonly updatedAt: Date | string;
};

/** The columns of all types, by the names of their attributes. */
const fieldColumns = join(
  checkAttributes.map(({ name }) => raw(`${snakeCase(name)} as "${name}"`)),
  ', ',
);

export const allPostureChecks = (store: Queryable): Promise<CheckRow[]> =>
  store.query(
    sql<CheckRow>`select id, name, type_id as "typeId", created_at as "createdAt", updated_at as "updatedAt", revision,
          ${fieldColumns} from posture_check`,
  );

import { sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected } from '../../prisma/models.js';
import { services, type EntityName } from '../service/index.js';

const RULE = {
  ...{ id: true, name: true, kind: true, type: true, semantic: true },
  ...{ identityRoles: true, serviceRoles: true },
} as const;

type AccessRule = Selected<'AccessRule', typeof RULE>;

export const all = (rows: Rows): Promise<AccessRule[]> =>
  rows.readModel((models) => models.accessRule.findMany({ select: RULE, orderBy: { id: 'asc' } }));

/* Statements, not models: a lock of the table, and any number of ids as one parameter. */

const COLUMNS: Sql = sql`id, name, kind, type, semantic, identity_roles as "identityRoles", service_roles as "serviceRoles"`;

/** Gives all rules, locked against writes until the commit. */
export const hold = (tx: Rows): Promise<AccessRule[]> =>
  tx.query(sql<AccessRule>`select ${COLUMNS} from held_access_rules()`);

export const byId = (rows: Rows, ids: readonly string[]): Promise<AccessRule[]> =>
  rows.query(
    sql<AccessRule>`select ${COLUMNS} from access_rule where id = any(${[...new Set(ids)]}::text[])`,
  );

interface PairEnds {
  readonly identityId: string;
  readonly serviceId: string;
}

interface NameOfEnd extends EntityName {
  readonly kind: 'identity' | 'service';
}

/** The names of the identities and services of violations, in one statement. */
export const namesInViolations = (
  tx: Rows,
  violations: readonly PairEnds[],
): Promise<NameOfEnd[]> =>
  tx.query(
    sql<NameOfEnd>`select 'identity' as kind, id, name from identity where id = any(${violations.map((v) => v.identityId)}::text[])
      union all select 'service', id, name from (${services.namesSql(violations.map((v) => v.serviceId))}) s`,
  );

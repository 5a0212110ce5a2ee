import { sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected } from '../../prisma/models.js';
import { services } from '../service/index.js';

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

/** A rule, an identity or a service by its name: the id starts with `r`, `i` or `s`. */
export type EntityInViolation = {
  readonly id: string;
  readonly name: string;
  /** Empty except for rules. */
  readonly kind: AccessRule['kind'] | '';
};

/** The ids that a violation names. */
interface ViolationIds {
  readonly ruleId: string;
  readonly identityId: string;
  readonly serviceId: string;
}

/** Gives the names of all entities that violations mention, in one statement. */
export function namesInViolations(
  tx: Rows,
  violations: readonly ViolationIds[],
): Promise<EntityInViolation[]> {
  const idsOf = (pick: (violation: ViolationIds) => string): string[] => violations.map(pick);
  return tx.query(
    sql<EntityInViolation>`select 'r' || id as id, name, kind from access_rule where id = any(${idsOf((v) => v.ruleId)}::text[])
      union all select 'i' || id, name, '' from identity where id = any(${idsOf((v) => v.identityId)}::text[])
      union all select 's' || id, name, '' from (${services.namesSql(idsOf((v) => v.serviceId))}) s`,
  );
}

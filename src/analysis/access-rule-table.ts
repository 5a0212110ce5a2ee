import { sql, type Queryable } from '../base/sql.js';
import type { RowOf } from '../kernel/declare/rows.js';
import type { AccessRule } from './rule-sides.js';

/** A row of the table. */
export type AccessRuleRow = Pick<
  RowOf<'AccessRule'>,
  'id' | 'name' | 'kind' | 'type' | 'semantic'
> & {
  readonly identity_roles: string[];
  readonly service_roles: string[];
};

/** Converts a row of the table for the analysis. */
export const ruleOf = (row: AccessRuleRow): AccessRule => ({
  id: row.id,
  kind: row.kind,
  type: row.type,
  semantic: row.semantic,
  identityRoles: row.identity_roles,
  serviceRoles: row.service_roles,
});

export const allAccessRules = (store: Queryable): Promise<AccessRuleRow[]> =>
  store.query(sql<AccessRuleRow>`select * from access_rule order by id`);

/** Gives all rules, locked against writes until the commit. */
export const holdAccessRules = (tx: Queryable): Promise<AccessRuleRow[]> =>
  tx.query(sql<AccessRuleRow>`select * from held_access_rules()`);

export const accessRulesById = (
  store: Queryable,
  ids: readonly string[],
): Promise<AccessRuleRow[]> =>
  store.query(
    sql<AccessRuleRow>`select * from access_rule where id = any(${[...new Set(ids)]}::text[])`,
  );

/** The name of a rule, an identity or a service: the id starts with `r`, `i` or `s`. */
export type ViolationNameRow = {
  readonly id: string;
  readonly name: string;
  /** Empty except for rules. */
  readonly kind: AccessRuleRow['kind'] | '';
};

/** The ids that a violation names. */
interface ViolationIds {
  readonly ruleId: string;
  readonly identityId: string;
  readonly serviceId: string;
}

/** Gives the names of all entities that violations mention. */
export function namesInViolations(
  tx: Queryable,
  violations: readonly ViolationIds[],
): Promise<ViolationNameRow[]> {
  const idsOf = (pick: (violation: ViolationIds) => string): string[] => violations.map(pick);
  return tx.query(
    sql<ViolationNameRow>`select 'r' || id as id, name, kind from access_rule where id = any(${idsOf((v) => v.ruleId)}::text[])
      union all select 'i' || id, name, '' from identity where id = any(${idsOf((v) => v.identityId)}::text[])
      union all select 's' || id, name, '' from service where id = any(${idsOf((v) => v.serviceId)}::text[])`,
  );
}

import { raw, sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { loginRulesSql, type LoginRules } from './login-rules.js';

/*
 * Identities that a token or a certificate names. Statements, not models: logins read two tables at
 * once, which is faster by SQL, and models can not compare lower case.
 */

/** The column that a claim names. */
interface ClaimedColumn {
  /** Whether the claim is an external id, not an id. */
  readonly useExternalId: boolean;
}

const claimed = ({ useExternalId }: ClaimedColumn): Sql =>
  raw(useExternalId ? 'i.external_id' : 'i.id');

/** PostgreSQL refuses NUL in texts and in parameters. */
const isStorable = (claim: string): boolean => !claim.includes('\0');

/** An identity with its rights and the rules of its auth policy. */
export interface ClaimedIdentity
  extends LoginRules, Pick<TableRow<'Identity'>, 'id' | 'isAdmin' | 'permissions' | 'isPending'> {
  /** The signer or the authority whose first login created it. */
  readonly creatorId: string | null;
}

/** Finds the identity that a login or a second factor names, by its id or its external id. */
export async function find(
  rows: Rows,
  column: ClaimedColumn,
  claim: string,
  now: Date,
): Promise<ClaimedIdentity | undefined> {
  if (!isStorable(claim)) return undefined;
  const [identity] = await rows.query(
    sql<ClaimedIdentity>`select i.id, i.is_admin as "isAdmin", i.permissions, i.is_pending as "isPending",
        coalesce(i.created_by_signer_id, i.created_by_authority_id) as "creatorId", ${loginRulesSql(now)}
      from identity i join auth_policy p on p.id = i.auth_policy_id where ${claimed(column)} = ${claim}::text`,
  );
  return identity;
}

/**
 * The ids of at most two identities with a claim in other upper or lower case. It reads all identities, but only a valid
 * token of a signer leads here. One with the very claim does not count: another login may have just created it.
 */
export async function findInOtherCase(
  rows: Rows,
  column: ClaimedColumn,
  claim: string,
): Promise<string[]> {
  if (!isStorable(claim)) return [];
  const identities = await rows.query(
    sql<{ id: string }>`select i.id from identity i
      where lower(${claimed(column)}) = lower(${claim}::text collate "C")
        and ${claimed(column)} <> ${claim}::text order by i.id limit 2`,
  );
  return identities.map(({ id }) => id);
}

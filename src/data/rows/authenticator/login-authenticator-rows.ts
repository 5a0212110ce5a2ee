import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import { HELD_IDENTITY, isDisabledSql, type HeldIdentity } from '../identity/index.js';

/** An authenticator with the identity that logs in by it. */
interface Login {
  readonly identityId: string;
  readonly authenticatorId: string;
}

/**
 * Locks an identity against being disabled, deleted or given rights, and its authenticator against being
 * deleted, until the commit; undefined if one is disabled or deleted already. Models have no locks.
 */
export async function holdEnabled(
  tx: Rows,
  { identityId, authenticatorId }: Login,
  now: Date,
): Promise<HeldIdentity | undefined> {
  const [identity] = await tx.query(
    sql<HeldIdentity>`select ${HELD_IDENTITY} from identity i join authenticator a on a.identity_id = i.id
      where i.id = ${identityId}::text and a.id = ${authenticatorId}::text and not ${isDisabledSql('i', now)}
      for share of i for key share of a`,
  );
  return identity;
}

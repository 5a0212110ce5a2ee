import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

const OF_TOKENS = { type: 'JTI' } as const;
const ID = { id: true } as const;

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

/** The ids of all tokens that were revoked one by one. */
export const tokenIds = async (rows: Rows): Promise<string[]> =>
  idsOf(
    await rows.readModel((models) => models.revocation.findMany({ where: OF_TOKENS, select: ID })),
  );

/** Locks at most `limit` revocations whose time was over at a time, and gives their ids. Models have no locks. */
export async function lockExpired(tx: Rows, until: Date, limit: number): Promise<string[]> {
  return idsOf(
    await tx.query(
      sql<{ id: string }>`select id from revocation where expires_at <= ${until}::timestamptz
        order by expires_at limit ${limit}::int for update skip locked`,
    ),
  );
}

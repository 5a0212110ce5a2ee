import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/*
 * Invitations to join, by their one-time tokens. Tokens are stored in small letters, and clients may
 * spell them in large ones.
 */

const keyOf = (token: string): { readonly token: string } => ({ token: token.toLowerCase() });

/**
 * Locks the enrollment of a token until the commit, and gives its id: the second of two users finds
 * none. Models have no locks.
 */
export async function lock(tx: Rows, token: string): Promise<string | undefined> {
  const [enrollment] = await tx.query(
    sql<{
      id: string;
    }>`select id from enrollment where token = ${keyOf(token).token}::text for update`,
  );
  return enrollment?.id;
}

export async function methodOf(rows: Rows, token: string): Promise<string | undefined> {
  const enrollment = await rows.readModel((models) =>
    models.enrollment.findUnique({ where: keyOf(token), select: { method: true } }),
  );
  return enrollment?.method;
}

export const exists = async (rows: Rows, token: string): Promise<boolean> =>
  (await methodOf(rows, token)) !== undefined;

import type { Rows } from '../../../kernel/request/store-port.js';

/** Counts the identities that first logins by the JWTs of a signer created. */
export const count = (rows: Rows, signerId: string): Promise<number> =>
  rows.readModel((models) => models.identity.count({ where: { createdBySignerId: signerId } }));

import type { Rows } from '../../../kernel/request/store-port.js';

/**
 * Whether the database was filled: every filled one has the default policy, which can not be
 * deleted.
 */
export const hasDefault = async (rows: Rows): Promise<boolean> =>
  (await rows.readModel((models) =>
    models.authPolicy.findUnique({ where: { id: 'default' }, select: { id: true } }),
  )) !== null;

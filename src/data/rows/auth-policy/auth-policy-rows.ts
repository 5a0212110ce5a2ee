import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/**
 * Whether the database was filled: every filled one has the default policy, which can not be
 * deleted.
 */
export const hasDefault = async (rows: Rows): Promise<boolean> =>
  (await rows.readModel((models) =>
    models.authPolicy.findUnique({ where: { id: 'default' }, select: { id: true } }),
  )) !== null;

/** The ways to log in under an auth policy; null if it does not exist. */
export const primaryOf = (
  rows: Rows,
  id: string,
): Promise<Pick<TableRow<'AuthPolicy'>, 'primary'> | null> =>
  rows.readModel((models) =>
    models.authPolicy.findUnique({ where: { id }, select: { primary: true } }),
  );

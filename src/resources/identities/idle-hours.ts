import { invalidField } from '../../base/errors.js';
import { clock } from '../../data/rows/clock/index.js';
import { int } from '../../kernel/declare/attribute.js';
import { may, permits, unauthorized } from '../../kernel/declare/permissions.js';
import type { Write } from '../../kernel/declare/resource.js';
import type { RequestContext } from '../../kernel/request/context.js';

const NAME = 'idleHoursBeforeDeletion';

/** Ten years, as the days of signers. */
const MAX_HOURS = 87_600;

export const IDLE_HOURS = int({ min: 1, max: MAX_HOURS });

/**
 * A caller who decides that identities are deleted could also delete them.
 * @throws ApiError UNAUTHORIZED
 */
export function checkMayDelete({ caller }: RequestContext): void {
  if (caller && !permits(caller, may('identity', 'delete'))) throw unauthorized(caller);
}

/**
 * Checks written hours. They begin with the write that gives an identity some: what it did before was not stored.
 * @throws ApiError COULD_NOT_VALIDATE, UNAUTHORIZED
 */
export async function storeIdleHours({
  ctx,
  tx,
  values,
  current,
}: Write<'Identity'>): Promise<void> {
  const before = current[NAME] ?? null;
  const { [NAME]: hours = before } = values;
  if (hours === before) return;
  checkMayDelete(ctx);
  if (hours === null) return;
  if (current.isDefaultAdmin === true || current.typeId === 'Router') {
    throw invalidField(NAME, 'this identity is not deleted by itself', hours);
  }
  if (before === null) values.lastUsedAt = await clock.now(tx);
}

import { invalidField } from '../../base/errors.js';
import { clock } from '../../data/rows/clock/index.js';
import { int } from '../../kernel/declare/attribute.js';
import { may, permits, unauthorized } from '../../kernel/declare/permissions.js';
import type { Write } from '../../kernel/declare/resource.js';
import { setAttribute } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';

const NAME = 'idleHoursBeforeDeletion';

/** Ten years, as the days of signers. */
const MAX_HOURS = 87_600;

export const IDLE_HOURS = int({ min: 1, max: MAX_HOURS });

/** The hours after a write; REST bodies lack them, and one that replaces an entity does not mean to drop them. */
function hoursAfter({
  verb,
  input,
  values,
  current,
}: Pick<Write<'Identity'>, 'verb' | 'input' | 'values' | 'current'>): number | null {
  if (verb === 'replace' && input[NAME] === undefined) setAttribute(values, NAME, current[NAME]);
  return { ...current, ...values }[NAME] ?? null;
}

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
export async function storeIdleHours(write: Write<'Identity'>): Promise<void> {
  const { ctx, tx, values, current } = write;
  const before = current[NAME] ?? null;
  const hours = hoursAfter(write);
  if (hours === before) return;
  checkMayDelete(ctx);
  if (hours === null) return;
  if (current.isDefaultAdmin === true || current.typeId === 'Router') {
    throw invalidField(NAME, 'this identity is not deleted by itself', hours);
  }
  if (before === null) values.lastUsedAt = await clock.now(tx);
}

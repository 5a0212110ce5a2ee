import { newId } from '../../base/ids.js';
import { accessRequests } from '../../data/rows/access-request/index.js';
import { clock } from '../../data/rows/clock/index.js';
import type { RowOf, ValuesOf } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { insertIn } from '../../kernel/write/write.js';
import { storeAssignedAttributes } from '../assignments/index.js';

const MINUTE = 60_000;

export interface Grant {
  readonly request: ValuesOf<'AccessRequest'> &
    Pick<RowOf<'AccessRequest'>, 'id' | 'roleAttribute' | 'reason'>;
  /** The requester, whose row is locked. */
  readonly identity: RowOf<'Identity'>;
  readonly minutes: number;
  readonly approvedById: string | null;
}

/**
 * Gives the requester the role attribute from now on, by the clock of the database, and gives the values of the request
 * that follow.
 */
export async function grantIn(
  { catalog }: RequestContext,
  tx: Transaction,
  { request, identity, minutes, approvedById }: Grant,
): Promise<ValuesOf<'AccessRequest'>> {
  const { id, roleAttribute, reason } = request;
  const now = await clock.now(tx);
  const activeUntil = new Date(now.getTime() + minutes * MINUTE);
  await insertIn(tx, catalog.resources.RoleAssignment, {
    ...{ id: newId(), identityId: identity.id, roleAttribute, reason },
    ...{ source: accessRequests.sourceOf(id), state: 'ACTIVE', activeFrom: now, activeUntil },
    ...{ requestedById: identity.id, approvedById },
  });
  await storeAssignedAttributes(tx, catalog, [identity]);
  return {
    decision: 'GRANTED',
    grantedMinutes: minutes,
    grantedUntil: activeUntil,
    decidedAt: now,
  };
}

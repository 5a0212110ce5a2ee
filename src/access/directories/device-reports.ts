import { isDeepStrictEqual } from 'node:util';
import { byteSorted } from '../../base/byte-order.js';
import { failure, invalidField } from '../../base/errors.js';
import { identities, type IdentityKey, type IdentityKeys } from '../../data/rows/identity/index.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { replaceIn, unassignIn } from '../assignments/index.js';
import type { DirectoryScope } from './directory-scope.js';

/*
 * A device management system says which of its role attributes an identity has, and until when. It reports on any
 * identity: policies decide what its attributes give, and no other source writes them.
 */

/** At most this long before its end a report comes again. */
const MAX_DAYS = 366;
const DAY = 86_400_000;

export interface DeviceReport {
  /** With the prefix of the directory, sorted. */
  readonly roleAttributes: readonly string[];
  /** When all of them end, unless another report comes. */
  readonly until: Date;
  readonly reason: string | null;
}

/** An identity with the present report of a directory; null without one. */
export interface ReportedDevice extends IdentityKeys {
  readonly report: DeviceReport | null;
}

/**
 * Stores a report in place of the one before.
 * @throws ApiError NOT_FOUND; COULD_NOT_VALIDATE on `until`
 */
export const reportDevice = (
  scope: DirectoryScope,
  key: IdentityKey,
  report: DeviceReport,
): Promise<ReportedDevice> =>
  scope.ctx.store.write(scope.origin, async (tx) => {
    const identity = await identityIn(scope, tx, key);
    const { source } = scope;
    const { now, assignments } = await roleAssignments.activeOfSource(tx, identity.id, source);
    refuseEnd(now, report.until);
    const { roleAttributes, until: activeUntil, reason } = report;
    if (!isDeepStrictEqual(reportOf(assignments), report)) {
      await replaceIn(scope.ctx, tx, identity, { source, roleAttributes, activeUntil, reason });
    }
    return reported(identity, roleAttributes.length === 0 ? null : report);
  });

const reported = (
  { id, externalId }: IdentityKeys,
  report: DeviceReport | null,
): ReportedDevice => ({ id, externalId, report });

function refuseEnd(now: Date, until: Date): void {
  const millis = until.getTime() - now.getTime();
  if (millis <= 0) throw invalidField('until', 'must be in the future', until);
  if (millis > MAX_DAYS * DAY) {
    throw invalidField('until', `must be at most ${String(MAX_DAYS)} days ahead`, until);
  }
}

/** Takes away all that the directory has reported of an identity. */
export const withdrawReport = (scope: DirectoryScope, key: IdentityKey): Promise<ReportedDevice> =>
  scope.ctx.store.write(scope.origin, async (tx) => {
    const identity = await identityIn(scope, tx, key);
    await unassignIn(scope.ctx, tx, { source: scope.source }, [identity]);
    return reported(identity, null);
  });

/** @throws ApiError NOT_FOUND */
export async function reportedDevice(
  { ctx: { store }, source }: DirectoryScope,
  key: IdentityKey,
): Promise<ReportedDevice> {
  const identity = await identities.byKey(store, key);
  if (!identity) throw failure('NOT_FOUND');
  const { assignments } = await roleAssignments.activeOfSource(store, identity.id, source);
  return reported(identity, reportOf(assignments));
}

type Present = Awaited<ReturnType<typeof roleAssignments.activeOfSource>>['assignments'];

/** All assignments of a report have one end and one reason. */
function reportOf(assignments: Present): DeviceReport | null {
  const [first] = assignments;
  if (!first) return null;
  const roleAttributes = byteSorted(assignments.map(({ roleAttribute }) => roleAttribute));
  return { roleAttributes, until: first.activeUntil, reason: first.reason };
}

/** The identity, locked. */
async function identityIn(
  { ctx }: DirectoryScope,
  tx: Transaction,
  key: IdentityKey,
): Promise<RowOf<'Identity'>> {
  const { id = '' } = (await identities.byKey(tx, key)) ?? {};
  const identity = await tx.lockRow(ctx.catalog.resources.Identity, id);
  if (!identity) throw failure('NOT_FOUND');
  return identity;
}

import { isDeepStrictEqual } from 'node:util';
import { endSourceIn, reservePrefix } from '../../access/assignments/index.js';
import { invalidField } from '../../base/errors.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import { may, permits, unauthorized } from '../../kernel/declare/permissions.js';
import type { Write } from '../../kernel/declare/resource.js';

/* Claims give role attributes: a caller who writes which ones could also write them on identities. */

type VouchingWrite = Write<'CertificateAuthority' | 'ExternalJwtSigner'>;

/**
 * Checks the settings of a signer or an authority that give role attributes, after they have their final state.
 * @param source that of the role assignments which it gives
 * @throws ApiError UNAUTHORIZED, COULD_NOT_VALIDATE on `roleAttributePrefix`
 */
export async function checkClaimedRoleAttributes(
  write: VouchingWrite,
  source: string,
): Promise<void> {
  const { ctx, tx, values, current } = write;
  if (!changesRoleAttributes(write)) return;
  if (ctx.caller && !permits(ctx.caller, may('identity', 'update'))) throw unauthorized(ctx.caller);
  const [before = null, after = null] = [current.roleAttributePrefix, values.roleAttributePrefix];
  if (before === after) return;
  if (before !== null) {
    const holders = await roleAssignments.identitiesOfSource(tx, source);
    if (holders.length > 0) {
      const reason = `${String(holders.length)} identities still have role attributes that begin with ${before}`;
      throw invalidField('roleAttributePrefix', reason, after);
    }
  }
  if (after !== null) await reservePrefix(tx, source, after);
}

function changesRoleAttributes({ verb, values, current }: VouchingWrite): boolean {
  if (verb === 'create') return values.roleAttributePrefix != null;
  const settingsOf = (of: VouchingWrite['current'] | VouchingWrite['values']): unknown[] => [
    of.roleAttributeClaims,
    of.roleAttributePrefix,
    of.roleAttributeMinutes,
  ];
  return !isDeepStrictEqual(settingsOf(values), settingsOf(current));
}

/** Takes away what a deleted signer or authority has given. */
export async function endClaimedRoleAttributes(
  { verb, ctx, tx }: VouchingWrite,
  source: string,
): Promise<void> {
  if (verb === 'delete') await endSourceIn(ctx, tx, source);
}

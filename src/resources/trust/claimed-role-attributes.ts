import { isDeepStrictEqual } from 'node:util';
import { endSourceIn, reservePrefix } from '../../access/assignments/index.js';
import { invalidField } from '../../base/errors.js';
import { sourceOfSigner } from '../../data/rows/external-jwt-signer/index.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import { may, permits, unauthorized } from '../../kernel/declare/permissions.js';
import type { Write } from '../../kernel/declare/resource.js';

/* The JWTs of a signer give role attributes: whoever writes which ones could also write them on identities. */

type SignerWrite = Write<'ExternalJwtSigner'>;

/**
 * Checks the settings of a signer that give role attributes, after they have their final state.
 * @throws ApiError UNAUTHORIZED, COULD_NOT_VALIDATE on `roleAttributePrefix`
 */
export async function checkClaimedRoleAttributes(write: SignerWrite): Promise<void> {
  const { ctx, tx, id, values, current } = write;
  if (!changesRoleAttributes(write)) return;
  if (ctx.caller && !permits(ctx.caller, may('identity', 'update'))) throw unauthorized(ctx.caller);
  const [before = null, after = null] = [current.roleAttributePrefix, values.roleAttributePrefix];
  if (before === after) return;
  if (before !== null) {
    const holders = await roleAssignments.identitiesOfSource(tx, sourceOfSigner(id));
    if (holders.length > 0) {
      const reason = `${String(holders.length)} identities still have role attributes that begin with ${before}`;
      throw invalidField('roleAttributePrefix', reason, after);
    }
  }
  if (after !== null) await reservePrefix(tx, 'roleAttributePrefix', after);
}

function changesRoleAttributes({ verb, values, current }: SignerWrite): boolean {
  if (verb === 'create') return values.roleAttributePrefix != null;
  const settingsOf = (of: SignerWrite['current'] | SignerWrite['values']): unknown[] => [
    of.roleAttributeClaims,
    of.roleAttributePrefix,
    of.roleAttributeMinutes,
  ];
  return !isDeepStrictEqual(settingsOf(values), settingsOf(current));
}

/** Takes away what the JWTs of a deleted signer have given. */
export async function endClaimedRoleAttributes({ verb, ctx, tx, id }: SignerWrite): Promise<void> {
  if (verb === 'delete') await endSourceIn(ctx, tx, sourceOfSigner(id));
}

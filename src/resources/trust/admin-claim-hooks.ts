import { isDeepStrictEqual } from 'node:util';
import { grantableIn } from '../../kernel/declare/grantable.js';
import { unauthorized } from '../../kernel/declare/permissions.js';
import type { Write } from '../../kernel/declare/resource.js';
import { checkPermissions } from '../../trust/auth/index.js';

/* The JWTs of a signer give rights: a writer of these rules could give itself all of them. */

type SignerWrite = Write<'ExternalJwtSigner'>;

/**
 * Checks the rules of a signer that give rights, after they have their final state.
 * @throws ApiError UNAUTHORIZED for others than administrators, COULD_NOT_VALIDATE on `permissions`
 */
export function checkAdminClaims({ ctx, values, current }: SignerWrite): void {
  const { adminClaims = [] } = values;
  if (isDeepStrictEqual(adminClaims, current.adminClaims ?? [])) return;
  if (ctx.caller?.isAdmin === false) throw unauthorized(ctx.caller);
  const grantable = grantableIn(ctx.catalog);
  values.adminClaims = adminClaims.map(({ permissions, ...rule }) => ({
    ...rule,
    permissions: checkPermissions(grantable, permissions),
  }));
}

/** Whether a rule is gone or another one: the rights that it gave end. */
export const endsAdminClaims = ({
  verb,
  values: { adminClaims = [] },
  current,
}: SignerWrite): boolean =>
  verb !== 'create' &&
  (current.adminClaims ?? []).some(
    (rule) => !adminClaims.some((remaining) => isDeepStrictEqual(remaining, rule)),
  );

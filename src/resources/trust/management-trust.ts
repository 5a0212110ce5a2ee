import type { AttributeOptions } from '../../kernel/declare/attribute.js';
import { failure } from '../../base/errors.js';
import type { JsonObject } from '../../base/row.js';
import type { Write } from '../../kernel/declare/resource.js';
import { attributeOf } from '../../kernel/declare/rows.js';

/*
 * A writer of a signer or an authority can vouch for any identity with an own key. So a signer or an
 * authority from anyone but administrators vouches only for identities without permissions.
 */

export const MANAGEMENT_TRUST: AttributeOptions = {
  description:
    'Whether it vouches for identities with permissions and for administrators, too. Only administrators can set it; any other change by others than administrators takes it away.',
  filter: true,
  default: true,
  column: { default: false },
  // The published bodies of signers and authorities lack it.
  graphOnly: true,
};

/** Values that do not change for whom the signer or authority vouches. */
const HARMLESS: readonly string[] = ['name', 'tags', 'trustedForManagement'];

/**
 * Keeps, gives or withdraws the trust, after all other values have their final state.
 * @throws ApiError UNAUTHORIZED for others than administrators who would give it
 */
export function applyManagementTrust(
  write: Write<'CertificateAuthority' | 'ExternalJwtSigner'>,
): void {
  const { verb, ctx, input, values, current } = write;
  const requestedTrust = requestedTrustIn(input);
  const isTrusted = current.trustedForManagement ?? false;
  if (ctx.caller?.isAdmin !== false) {
    values.trustedForManagement = requestedTrust ?? (verb === 'create' || isTrusted);
    return;
  }
  const staysTrusted = isTrusted && !changesMore(write);
  if (requestedTrust && !staysTrusted) throw failure('UNAUTHORIZED');
  values.trustedForManagement = staysTrusted && requestedTrust !== false;
}

/** Reads the input, because the values to store may have the default. */
const requestedTrustIn = ({ trustedForManagement: trust }: JsonObject): boolean | undefined =>
  typeof trust === 'boolean' ? trust : undefined;

/** Whether a write changes for whom the signer or authority vouches, or how. */
export const changesMore = ({ values, current }: Pick<Write, 'values' | 'current'>): boolean =>
  Object.keys(values).some(
    (name) =>
      !HARMLESS.includes(name) &&
      JSON.stringify(attributeOf(values, name)) !== JSON.stringify(attributeOf(current, name)),
  );

import type { AttributeOptions } from '../kernel/declare/attribute.js';
import { failure } from '../base/errors.js';
import type { JsonObject } from '../base/row.js';
import type { Write } from '../kernel/declare/resource.js';
import { attributeOf } from '../kernel/declare/rows.js';

/*
 * Whoever may write a signer or an authority can vouch for any identity by a key of their own. So what
 * others than administrators have written vouches for identities without permissions alone.
 */

export const MANAGEMENT_TRUST: AttributeOptions = {
  description:
    'Whether it vouches for identities with permissions and for administrators, too. Only administrators can set it; any other change by others than administrators takes it away.',
  filter: true,
  default: true,
  column: { default: false },
  // The published bodies of signers and authorities do not have it.
  graphOnly: true,
};

/** What does not touch for whom it vouches. */
const HARMLESS: readonly string[] = ['name', 'tags', 'trustedForManagement'];

/**
 * Keeps, gives or takes the trust, when all other values are as they will be stored.
 * @throws ApiError UNAUTHORIZED for others than administrators who would give it
 */
export function judgeManagementTrust(
  write: Write<'CertificateAuthority' | 'ExternalJwtSigner'>,
): void {
  const { verb, ctx, input, values, current } = write;
  const sent = trustSentIn(input);
  const isTrusted = current.trustedForManagement ?? false;
  if (ctx.caller?.isAdmin !== false) {
    values.trustedForManagement = sent ?? (verb === 'create' || isTrusted);
    return;
  }
  const isKept = isTrusted && !changesMore(write);
  if (sent && !isKept) throw failure('UNAUTHORIZED');
  values.trustedForManagement = isKept && sent !== false;
}

/** Not that of the values to store, which may be the default. */
const trustSentIn = ({ trustedForManagement: sent }: JsonObject): boolean | undefined =>
  typeof sent === 'boolean' ? sent : undefined;

const changesMore = ({ values, current }: Pick<Write, 'values' | 'current'>): boolean =>
  Object.keys(values).some(
    (name) =>
      !HARMLESS.includes(name) &&
      JSON.stringify(attributeOf(values, name)) !== JSON.stringify(attributeOf(current, name)),
  );

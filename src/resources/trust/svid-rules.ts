import { isDeepStrictEqual } from 'node:util';
import { invalidField } from '../../base/errors.js';
import type { Write } from '../../kernel/declare/resource.js';
import { attributeOf } from '../../kernel/declare/rows.js';
import { checkAuthorityRules, type AuthorityRules } from '../../trust/auth/index.js';

/* The rules of an authority with a bundle on the claims of X509-SVIDs. */

const OPTIONAL = { nullable: true, graphOnly: true, keptByReplace: true } as const;

export const SVID_RULES = {
  pathTemplate: {
    ...OPTIONAL,
    description:
      'A template of the paths of X509-SVIDs, such as `/ns/{namespace}/sa/{serviceAccount}`: each name in braces is a claim, and so is `sub`, the whole SPIFFE ID. Another path gives no claims; null: each path gives `sub`.',
  },
  authPolicyId: {
    ...OPTIONAL,
    missingField: 'enrollAuthPolicyId',
    description: 'Id of the auth policy of identities that first logins create; null: `default`.',
  },
  nameClaim: {
    ...OPTIONAL,
    description: 'Claim with the name of identities that first logins create; null: `sub`.',
  },
} as const;

/** The values of an authority without rules. */
const NO_RULES = checkAuthorityRules({});

/**
 * Checks the rules on claims, and gives them their final state.
 * @throws ApiError COULD_NOT_VALIDATE
 */
export function checkSvidRules({ verb, values, current }: Write<'CertificateAuthority'>): void {
  const rules = checkAuthorityRules(values, verb === 'create' ? undefined : current);
  Object.assign(values, rules);
  const { bundleEndpoint = current.bundleEndpoint } = values;
  if (bundleEndpoint) return;
  // Rules that never count would deceive their writer.
  for (const name of Object.keys(NO_RULES) as (keyof AuthorityRules)[]) {
    if (!isDeepStrictEqual(rules[name], NO_RULES[name])) {
      throw invalidField(name, 'goes with bundleEndpoint', attributeOf(values, name));
    }
  }
}

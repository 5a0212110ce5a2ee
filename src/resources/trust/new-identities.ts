import type { AttributeOptions } from '../../kernel/declare/attribute.js';
import type { Write } from '../../kernel/declare/resource.js';

/** The setting of everything that creates identities by itself. */
export const NEW_IDENTITIES_ARE_PENDING = {
  description: 'Whether the identities that it creates wait for an approval.',
  default: false,
  column: { default: false },
} as const satisfies AttributeOptions;

/** A client that writes an older body back does not mean to let new identities in without an approval. */
export function keepNewIdentitiesPending({
  verb,
  input,
  values,
  current,
}: Write<'CertificateAuthority' | 'Directory'>): void {
  if (verb !== 'replace' || input.newIdentitiesArePending !== undefined) return;
  values.newIdentitiesArePending = current.newIdentitiesArePending ?? false;
}

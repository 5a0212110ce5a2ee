import type { AttributeOptions } from '../../kernel/declare/attribute.js';

/** The setting of everything that creates identities by itself. */
export const NEW_IDENTITIES_ARE_PENDING = {
  description: 'Whether the identities that it creates wait for an approval.',
  default: false,
  keptByReplace: true,
  column: { default: false },
} as const satisfies AttributeOptions;

import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** A random secret for addresses: 43 characters that clients need not escape. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** The form in which a random secret is stored. */
export const hashOf = (secret: string): string =>
  createHash('sha256').update(secret).digest('base64url');

/** The hash of a key that a page has, which is no key of a complete login. */
export const pageHashOf = (key: string): string => `page ${hashOf(key)}`;

import { MAX_SEGMENTS } from './predicate.js';
import type { Path } from './predicate.js';

/**
 * The path to a member of a map, split at dots unless the whole key is in single quotes; undefined
 * if it is none.
 */
export function readKey(key: unknown): Path | undefined {
  const path = typeof key === 'string' ? splitKey(key) : [];
  const isUsable = path.length > 0 && path.length <= MAX_SEGMENTS && !path.some(isUnusable);
  return isUsable ? path : undefined;
}

const isUnusable = (segment: string): boolean => segment === '' || segment.includes('\0');

const splitKey = (key: string): Path =>
  /^'.+'$/s.test(key) ? [key.slice(1, -1).replaceAll("''", "'")] : key.split('.');

export const keyNeeded = (member: string): string =>
  `'${member}' needs a 'key', as in "site" or "site.name"`;

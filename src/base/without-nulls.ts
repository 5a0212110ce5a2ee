import type { JsonObject } from './row.js';

/** Removes null members, since clients expect absent members to be left out. */
export const withoutNulls = (members: object): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

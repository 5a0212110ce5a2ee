import type { JsonObject } from './row.js';

/** Clients tell by absence what is not there. */
export const withoutNulls = (members: object): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

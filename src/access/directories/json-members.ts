import type { JsonObject } from '../../base/row.js';

/* Names of attributes do not distinguish the case (RFC 7643 2.1). */

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The name by which an object has a member. */
const nameOf = (value: JsonObject, name: string): string =>
  Object.keys(value).find((key) => isSame(key, name)) ?? name;

export const memberOf = (value: JsonObject, name: string): unknown => {
  const key = nameOf(value, name);
  return Object.hasOwn(value, key) ? value[key] : undefined;
};

/** The object with another member; undefined removes it. */
export function withMember(value: JsonObject, name: string, member: unknown): JsonObject {
  const key = nameOf(value, name);
  const others = Object.entries(value).filter(([other]) => other !== key);
  if (member === undefined) return Object.fromEntries(others);
  return Object.hasOwn(value, key)
    ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, k === key ? member : v]))
    : Object.fromEntries([...others, [key, member]]);
}

export const without = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(value).filter(([key]) => !names.some((name) => isSame(name, key))),
  );

export const only = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(value).filter(([key]) => names.some((name) => isSame(name, key))),
  );

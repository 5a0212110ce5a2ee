import { isObject, type JsonObject } from '../../base/row.js';

/* Values of rows and of states in the change log, which are read without their declared types. */

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

export const objectsOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((item): item is JsonObject => isObject(item)) : [];

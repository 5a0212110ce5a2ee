import { parseJson } from '../../base/json-text.js';
import { isObject, type JsonObject } from '../../base/row.js';
import { ValidationFault } from './validation-result.js';

/** A value that a router reports of itself, by the name of an inspection. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/**
 * Reads a value that a router reports as a JSON object.
 * @throws ValidationFault when there is none
 */
export function routerValue(values: readonly NamedValue[], name: string): JsonObject {
  const value = optionalRouterValue(values, name);
  if (!value) throw new ValidationFault(`it reports no ${name}`);
  return value;
}

/** The same; undefined for a router that does not report it. */
export function optionalRouterValue(
  values: readonly NamedValue[],
  name: string,
): JsonObject | undefined {
  const text = values.find((each) => each.name === name)?.value;
  if (text === undefined) return undefined;
  const value = jsonIn(text);
  if (!isObject(value)) throw new ValidationFault(`its ${name} can not be read`);
  return value;
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The objects of a list; routers leave out empty lists, or send null. */
export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The objects of a map by their keys. */
export const objectsByKey = (value: unknown): [string, JsonObject][] =>
  isObject(value)
    ? Object.entries(value).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
    : [];

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A text that is no JSON yet, in the place of a value. */
export class BrokenJson {
  constructor(readonly text: string) {}
}

/** Reads what a field of JSON holds; without a text it has no value. */
export function valueOfText(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new BrokenJson(text);
  }
}

export function textOfJson(value: unknown): string {
  if (value === undefined) return '';
  return value instanceof BrokenJson ? value.text : JSON.stringify(value, undefined, 2);
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof BrokenJson);

/** Reads a member that the object itself has: its name may be that of an inherited one. */
export const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Sets a member; without a value the object has it no more. */
export function withMember(value: unknown, name: string, member: unknown): JsonObject {
  const before = isObject(value) ? value : {};
  if (member !== undefined) return { ...before, [name]: member };
  return Object.fromEntries(Object.entries(before).filter(([other]) => other !== name));
}

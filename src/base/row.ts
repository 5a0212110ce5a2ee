/** One entity as read or written: attribute name -> value. */
export type Row = Record<string, unknown>;

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

export const idOf = ({ id }: { readonly id: string }): string => id;

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

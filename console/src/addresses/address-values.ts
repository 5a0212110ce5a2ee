/** A text of the address; anything else there counts as absent. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** An id or a key of the address, where one of digits alone is a number. */
export const idOf = (value: unknown): string | undefined =>
  textOf(typeof value === 'number' ? String(value) : value);

/** The forms in which reported and expected values are compared. */

/** The hexadecimal digits of a MAC address, whatever separates them. */
export const macDigits = (text: string): string => text.toLowerCase().replaceAll(/[^0-9a-f]/g, '');

/** A hash or fingerprint: case and separators are a matter of the tool that prints it. */
export const digestText = (text: string): string => text.toLowerCase().replaceAll(/[\s:-]/g, '');

/** Names of systems and domains are equal whatever their case. */
export const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

export const sortedSet = (values: readonly string[]): string[] => [...new Set(values)].sort();

/** The distinct values that are not empty, in a fixed order. */
export const distinct = (values: readonly string[]): string[] => sortedSet(values).filter(Boolean);

/** An instant as texts have it, null when it did not happen. */
export const rfc3339 = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();

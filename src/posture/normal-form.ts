/** The forms in which reported and expected values are compared. */

/** The hexadecimal digits of a MAC address, whatever separates them. */
export const macDigits = (text: string): string => text.toLowerCase().replaceAll(/[^0-9a-f]/g, '');

/** A hash or fingerprint: case and separators are a matter of the tool that prints it. */
export const digestText = (text: string): string => text.toLowerCase().replaceAll(/[\s:-]/g, '');

/** The distinct values that say something, in a fixed order. */
export const distinct = (values: readonly string[]): string[] =>
  [...new Set(values)].filter(Boolean).sort();

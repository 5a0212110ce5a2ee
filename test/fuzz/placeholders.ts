/*
 * A request names what exists by its place in the world, not by its id: so the same seed makes the
 * same request in every run, and what it means is filled in when it is sent.
 */

/** The n-th of what the world has of a kind, such as `identities`. */
export const placeholder = (kind: string, n: number): string => `ID_${kind}_${String(n)}_DI`;

const PLACEHOLDER = /ID_([a-z-]+)_(\d+)_DI/g;

/** Finds what stands for a placeholder; undefined when the world has nothing of the kind. */
export type Lookup = (kind: string, n: number) => string | undefined;

/** The text with what exists in place of its placeholders, written as the place asks for. */
export const filledIn = (
  text: string,
  lookup: Lookup,
  written: (value: string) => string = (value) => value,
): string =>
  text.includes('ID_')
    ? text.replace(PLACEHOLDER, (whole, kind: string, n: string) => {
        const value = lookup(kind, Number(n));
        return value === undefined ? whole : written(value);
      })
    : text;

/** As the inside of a JSON string. */
export const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);

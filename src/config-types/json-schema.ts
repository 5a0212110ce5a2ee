export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Gives equal texts for equal schemas, independent of the order of members. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

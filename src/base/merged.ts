/**
 * A new object with the members of both; where both have one, that of the second counts. It gives the
 * same as a spread, but for the name `__proto__`: no client may choose the names.
 *
 * If further members follow a spread (`{ ...a, b }`), V8 of Node 20 makes a hidden class for that one
 * object. That takes a microsecond, and each later read of its members is slow. Code that runs for each
 * request or row uses this function, or has the spread at the end. Speed needs it (docs/benchmark.md,
 * "client: service-updates"): a poll took a third more of the processor.
 */
export const merged = <A extends object, B extends object>(a: A, b: B): Omit<A, keyof B> & B =>
  Object.assign({}, a, b);

/** A copy that may get further members: see `merged`. */
export const copyOf = <T extends object>(object: T): T => Object.assign({}, object);

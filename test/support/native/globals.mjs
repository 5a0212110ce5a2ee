/** What test files import as `@jest/globals`: a module of its own for each (see hooks.mjs). */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } =
  globalThis;

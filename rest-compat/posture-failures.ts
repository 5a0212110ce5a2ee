import type { Row } from '../src/kernel/row.js';

/** Members that only checks of some types have. */
const OF_SOME_TYPES = new Set(['semantic', 'criteria']);

/** What a check found and wanted, only with the members of its type. */
export const failureView = (failure: Row): Row =>
  Object.fromEntries(
    Object.entries(failure).filter(([name, value]) => value !== null || !OF_SOME_TYPES.has(name)),
  );

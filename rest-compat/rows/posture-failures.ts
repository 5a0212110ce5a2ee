import type { Row } from '../../src/base/row.js';

/** Members that only checks of some types have. */
const OF_SOME_TYPES = new Set(['semantic', 'criteria']);

/** The values that a check found and wanted; a member that its type does not have is left out. */
export const failureView = (failure: Row): Row =>
  Object.fromEntries(
    Object.entries(failure).filter(([name, value]) => value !== null || !OF_SOME_TYPES.has(name)),
  );

import type { JsonObject } from '../../../base/row.js';
import { selectionText } from '../../../kernel/graph/selection-text.js';
import { failureAttributes } from '../../../posture/index.js';

/** What documents select of a failed check. */
export const FAILURE = `actualValue expectedValue ${selectionText(failureAttributes)}`;

/** Members that only checks of some types have. */
const OF_SOME_TYPES = new Set(failureAttributes.map(({ name }) => name));

/** The values that a check found and wanted; a member that its type does not have is left out. */
export const failureBody = (failure: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(failure).filter(([name, value]) => value !== null || !OF_SOME_TYPES.has(name)),
  );

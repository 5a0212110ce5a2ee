import type { JsonObject } from '../../../base/row.js';
import { selectionText } from '../../../kernel/graph/selection-text.js';
import { failureAttributes } from '../../../trust/posture/index.js';

/** The selection of a failed check in documents. */
export const FAILURE = `actualValue expectedValue ${selectionText(failureAttributes)}`;

/** Members that exist only for checks of some types. */
const TYPE_SPECIFIC_MEMBERS = new Set(failureAttributes.map(({ name }) => name));

/** Gives the actual and required values of a check, without members that its type lacks. */
export const failureBody = (failure: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(failure).filter(
      ([name, value]) => value !== null || !TYPE_SPECIFIC_MEMBERS.has(name),
    ),
  );

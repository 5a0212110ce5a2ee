import type { ModelChangeInput } from '../emitted/operations.js';
import type { DraftChange } from './draft.js';

/** `ServicePolicy` -> `servicePolicy`. */
const modelType = (type: string): ModelChangeInput['type'] =>
  (type.charAt(0).toLowerCase() + type.slice(1)) as ModelChangeInput['type'];

/** The changes as `simulate` and `applyChanges` take them. */
export const modelChanges = (changes: readonly DraftChange[]): readonly ModelChangeInput[] =>
  changes.map(({ operation, type, id, input }) => ({
    operation,
    type: modelType(type),
    ...(id === undefined ? {} : { id }),
    ...(input === undefined ? {} : { input }),
  }));

/** The revisions that the changes begin from. */
export const ifRevisions = (changes: readonly DraftChange[]) =>
  changes.flatMap(({ type, id, revision }) =>
    id === undefined || revision === undefined ? [] : [{ type: modelType(type), id, revision }],
  );

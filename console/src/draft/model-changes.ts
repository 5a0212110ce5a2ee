import { wordsOf } from '../description/names.js';
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

const PLACE = /(?<=^|: )changes\[(\d+)\](?:\.input\.(\w+))?/;

/** Names the change that an answer is about: `changes[0].input.name: ...` -> `ada, name: ...` */
export const withNames = (line: string, changes: readonly DraftChange[]): string =>
  line.replace(PLACE, (_, index: string, member: string | undefined) => {
    const name = changes[Number(index)]?.name ?? '';
    return member === undefined ? name : `${name}, ${wordsOf(member).toLowerCase()}`;
  });

import { typeOfModel } from '../../description/fields.js';
import { addToDraft } from '../../draft/draft.js';
import { RevertChange } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { Failure } from '../../graph/failure.js';

/**
 * Adds the changes that undo a change of the log to the draft. Gives what does not come back exactly.
 * @throws Failure when nothing of it can be undone, with the reasons
 */
export async function addReversal(changeId: string): Promise<readonly string[]> {
  const { revertChanges } = await ask(RevertChange, { ids: [changeId] });
  if (!revertChanges) return [];
  const { changes, entities, ifRevisions } = revertChanges;
  const obstacles = entities.flatMap((entity) => entity.obstacles.map(({ text }) => text));
  if (changes.length === 0 && obstacles.length > 0) {
    throw new Failure({ message: obstacles.join(' ') });
  }
  for (const { operation, type, entityId, input } of changes) {
    const name = entities.find((entity) => entity.entityId === entityId)?.name;
    addToDraft({
      operation,
      type: typeOfModel(type),
      id: entityId,
      name: name ?? entityId,
      input: input ?? undefined,
      revision: ifRevisions.find((each) => each.entityId === entityId)?.revision,
    });
  }
  return obstacles;
}

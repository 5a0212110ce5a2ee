import type { Kind } from '../../description/description.js';
import { description } from '../../description/description.js';
import type { Row } from '../../description/documents.js';
import { DELETION_OBSTACLES, deletionObstacle } from '../../description/kept-entities.js';
import { wordsOf } from '../../description/names.js';
import type { DraftChange } from '../../draft/draft.js';
import { textOfValue } from '../../parts/value.js';
import type { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';

/** The operations that a caller may do on many entities at once. */
export interface OfferedBulk {
  readonly canEdit: boolean;
  readonly canDelete: boolean;
}

/** Undefined: nothing, so that nothing is selected. All of it goes through the draft. */
export function offeredBulk(kind: Kind, may: ReturnType<typeof useMay>): OfferedBulk | undefined {
  if (kind.isDrafted !== true || !may('Query', 'simulate')) return undefined;
  const canEdit = may('Mutation', kind.update);
  const canDelete = may('Mutation', kind.remove);
  return canEdit || canDelete ? { canEdit, canDelete } : undefined;
}

/** The edit of each selected entity. */
export interface BulkEdit {
  readonly addRoles: readonly string[];
  readonly removeRoles: readonly string[];
  readonly setTag: readonly [name: string, value: string] | undefined;
  readonly removeTags: readonly string[];
}

const ROLES = 'roleAttributes';
const TAGS = 'tags';

/** The members that such an edit changes, as far as the kind has them. */
export const bulkMembers = ({ updateInput = '' }: Kind): readonly string[] =>
  [ROLES, TAGS].filter((member) => member in (description.inputs[updateInput] ?? {}));

export const hasRoles = (kind: Kind): boolean => bulkMembers(kind).includes(ROLES);

/** Finds the change of an entity that waits in the draft. */
export const waitingChange = (
  draft: readonly DraftChange[],
  type: string,
  id: string,
): DraftChange | undefined => draft.find((change) => change.type === type && change.id === id);

/**
 * The change that does the edit to an entity, on top of what waits in the draft for it. There is none
 * when nothing changes, or when the draft deletes the entity.
 */
export function editedChange(
  kind: Kind,
  entity: Row,
  edit: BulkEdit,
  waiting: DraftChange | undefined,
): DraftChange | undefined {
  if (waiting?.operation === 'delete') return undefined;
  const before = { ...entity, ...waiting?.input };
  const input = Object.fromEntries(
    bulkMembers(kind)
      .map((member) => [member, EDITED[member]?.(before[member], edit)] as const)
      .filter(([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member])),
  );
  return Object.keys(input).length === 0 ? undefined : changeOf(kind, entity, 'update', input);
}

/** The change that deletes an entity. There is none for an entity that no caller deletes. */
export const deletion = (kind: Kind, entity: Row): DraftChange | undefined =>
  deletionObstacle(kind, entity) === undefined
    ? changeOf(kind, entity, 'delete', undefined)
    : undefined;

/** Says which of the entities no deletion takes into the draft, and why; undefined: it takes all. */
export function leftOutOf(kind: Kind, entities: readonly Row[]): string | undefined {
  const obstacles = entities.flatMap((entity) => deletionObstacle(kind, entity) ?? []);
  if (obstacles.length === 0) return undefined;
  const keeper = wordsOf(kind.keptWith?.type ?? '').toLowerCase();
  const reasons = DELETION_OBSTACLES.flatMap((reason) => {
    const count = obstacles.filter((each) => each === reason).length;
    return count === 0 ? [] : [texts.bulk.leftOut[reason](count, keeper)];
  });
  return [...reasons, texts.bulk.others(entities.length - obstacles.length)].join(' ');
}

const changeOf = (
  { type }: Kind,
  { id, name, revision }: Row,
  operation: 'update' | 'delete',
  input: DraftChange['input'],
): DraftChange => ({
  operation,
  type,
  id,
  name: textOfValue(name ?? id),
  input,
  revision: Number(revision),
});

type Edit = (before: unknown, edit: BulkEdit) => unknown;

const EDITED: Readonly<Record<string, Edit>> = {
  [ROLES]: (before, { addRoles, removeRoles }) => {
    const remaining = (before as readonly string[]).filter((role) => !removeRoles.includes(role));
    return [...new Set([...remaining, ...addRoles])];
  },
  [TAGS]: (before, { setTag, removeTags }) => {
    const remaining = Object.entries(before as object).filter(
      ([name]) => !removeTags.includes(name),
    );
    // A tag that is there keeps its place.
    return { ...Object.fromEntries(remaining), ...(setTag ? { [setTag[0]]: setTag[1] } : {}) };
  },
};

import type { Kind } from '../../description/description.js';
import { description } from '../../description/description.js';
import type { Row } from '../../description/documents.js';
import type { DraftChange } from '../../draft/draft.js';
import { textOfValue } from '../../parts/value.js';
import type { useMay } from '../../shell/caller-context.js';

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

export const deletion = (kind: Kind, entity: Row): DraftChange =>
  changeOf(kind, entity, 'delete', undefined);

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

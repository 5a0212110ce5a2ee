import {
  addMembers,
  changeGroup,
  equalitiesOf,
  invalidValue,
  memberOf,
  nameIn,
  optionalText,
  patchPath,
  removeMembers,
  replaceMembers,
  withPaths,
  type DirectoryScope,
  type Filter,
  type PatchOperation,
} from '../../access/directories/index.js';
import { isObject } from '../../base/row.js';

/*
 * Members are changed operation by operation: the members of a large group are not read to add one of them.
 */

type Step = (scope: DirectoryScope, id: string) => Promise<void>;

/** Applies the operations of a PATCH of a group; all of them are read before the first one is applied. */
export async function applyGroupPatch(
  scope: DirectoryScope,
  id: string,
  operations: readonly PatchOperation[],
): Promise<void> {
  const steps = operations.flatMap(withPaths).map(stepOf);
  // Also a request that changes nothing is about a group of the directory.
  for (const step of steps.length === 0 ? [NO_CHANGE] : steps) await step(scope, id);
}

type OneOperation = PatchOperation & { readonly path: string };

function stepOf(operation: OneOperation): Step {
  const { segments, filter } = patchPath(operation.path);
  const [name = ''] = segments;
  const member = name.toLowerCase();
  if (member === 'members') return filter ? removalOf(operation, filter) : membersStep(operation);
  const sent = { [name]: operation.op === 'remove' ? undefined : operation.value };
  if (member === 'displayname') return changeStep({ displayName: nameIn(sent, 'displayName') });
  if (member === 'externalid') return changeStep({ externalId: optionalText(sent, 'externalId') });
  // Providers send `id` and `schemas` with a name; the controller keeps its own.
  return NO_CHANGE;
}

const changeStep =
  (written: Parameters<typeof changeGroup>[2]): Step =>
  (scope, id) =>
    changeGroup(scope, id, written);

const NO_CHANGE = changeStep({});

function membersStep({ op, value }: OneOperation): Step {
  if (op === 'add') return addStep(memberIdsIn(value));
  if (op === 'replace') return replaceStep(memberIdsIn(value ?? []));
  return value === undefined ? replaceStep([]) : removeStep(memberIdsIn(value));
}

const addStep =
  (ids: readonly string[]): Step =>
  (scope, id) =>
    addMembers(scope, id, ids);

const removeStep =
  (ids: readonly string[]): Step =>
  (scope, id) =>
    removeMembers(scope, id, ids);

const replaceStep =
  (ids: readonly string[]): Step =>
  (scope, id) =>
    replaceMembers(scope, id, ids);

/** `members[value eq "…"]` */
function removalOf({ op }: OneOperation, filter: Filter): Step {
  const [chosen] = filter.op === 'eq' ? equalitiesOf(filter) : [];
  if (op !== 'remove' || chosen?.attribute !== 'value') {
    throw invalidValue('members are chosen by their value, to be removed');
  }
  return removeStep([chosen.value]);
}

/** @throws ScimError invalidValue */
export function memberIdsIn(value: unknown): string[] {
  const entries = Array.isArray(value) ? (value as unknown[]) : [value];
  return entries.map((entry) => {
    const id = isObject(entry) ? memberOf(entry, 'value') : entry;
    if (typeof id !== 'string' || id === '') throw invalidValue('a member needs a value');
    return id;
  });
}

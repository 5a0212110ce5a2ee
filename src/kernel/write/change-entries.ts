import { byteSorted } from '../../base/byte-order.js';
import { textsOf } from '../../base/row.js';
import { inputNameOf, type Attribute } from '../declare/attribute.js';
import type { EntryVerb } from '../declare/attribute-sets.js';
import { permit, writing } from '../declare/permissions.js';
import type { Resource } from '../declare/resource.js';
import { attributeOf } from '../declare/rows.js';
import type { RequestContext } from '../request/context.js';
import type { Transaction } from '../request/store-port.js';
import { checkInput } from './check-input.js';
import { changeIn, currentRow, originOf, rehearseIn } from './write.js';

/** Entries to add to a set of an entity, or to remove from it. */
export interface EntryChange {
  readonly verb: EntryVerb;
  readonly set: Attribute;
  readonly id: string;
  readonly entries: readonly string[];
  readonly ifRevision?: number | null;
}

/**
 * Adds entries to a set of an entity or removes some: an update of the entity, by the rules of its
 * updates. The row is locked before its set is read, so that callers who change the same set at once
 * do not undo each other's changes.
 */
export async function changeEntries(
  ctx: RequestContext,
  resource: Resource,
  change: EntryChange,
): Promise<void> {
  permit(ctx, writing(resource, 'update'));
  await ctx.store.write(originOf(ctx), (tx) => changeEntriesIn(ctx, tx, resource, change), {
    resource,
    id: change.id,
  });
}

async function changeEntriesIn(
  ctx: RequestContext,
  tx: Transaction,
  resource: Resource,
  { verb, set, id, entries, ifRevision }: EntryChange,
): Promise<void> {
  const member = inputNameOf(set);
  // Refuses an entry that no entity can have, also one to remove: it is a mistake of the caller.
  checkInput(resource, 'update', { [member]: entries });
  const current = await currentRow(tx, resource, id, ifRevision);
  const before = textsOf(attributeOf(current, set.name));
  const after = verb === 'add' ? union(before, entries) : difference(before, entries);
  const input = { [member]: after };
  // Without a difference there is nothing to record, but the caller must be permitted the update.
  if (after.length === before.length) await rehearseIn(ctx, tx, resource, 'update', current, input);
  else await changeIn(ctx, tx, resource, 'update', id, input);
}

const union = (before: readonly string[], entries: readonly string[]): string[] =>
  byteSorted([...before, ...entries]);

const difference = (before: readonly string[], entries: readonly string[]): string[] => {
  const removed = new Set(entries);
  return before.filter((entry) => !removed.has(entry));
};

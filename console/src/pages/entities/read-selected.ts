import type { Kind } from '../../description/description.js';
import { rowsOperation, type Row } from '../../description/documents.js';
import { membersOfDeletion } from '../../description/kept-entities.js';
import { ask } from '../../graph/ask.js';
import type { Order } from '../../parts/long-table.js';
import { bulkMembers } from './bulk-changes.js';
import { textOfOrder } from '../../parts/order.js';

/** The controller takes so many changes at a time. */
export const MAX_CHANGES = 1_000;

const IN_A_PART = 200;

export interface Matching {
  readonly ids: readonly string[];
  readonly totalCount: number;
}

/** Reads the ids of what a filter matches, up to the number of changes that a draft can have. */
export async function readMatching(
  kind: Kind,
  filter: string | undefined,
  order: Order | undefined,
  signal: AbortSignal,
): Promise<Matching> {
  const ids: string[] = [];
  const sort = order && textOfOrder(order);
  let totalCount = MAX_CHANGES;
  for (let offset = 0; offset < Math.min(totalCount, MAX_CHANGES); offset += IN_A_PART) {
    const variables = { filter, sort, first: IN_A_PART, offset };
    const { rows } = await ask(rowsOperation(kind, ['isSystem']), variables, { signal });
    const selectable = (rows?.nodes ?? []).filter(({ isSystem }) => isSystem !== true);
    ids.push(...selectable.map(({ id }) => id));
    totalCount = rows?.totalCount ?? 0;
  }
  return { ids, totalCount };
}

/** Reads the entities as they are now, in the order of the ids, with the members that changes begin from. */
export async function readSelected(kind: Kind, ids: readonly string[]): Promise<readonly Row[]> {
  const members = ['revision', ...bulkMembers(kind), ...membersOfDeletion(kind)];
  const entities = new Map<string, Row>();
  for (let at = 0; at < ids.length; at += IN_A_PART) {
    const wanted = ids.slice(at, at + IN_A_PART).map((id) => JSON.stringify(id));
    const { rows } = await ask(rowsOperation(kind, members), {
      filter: `id in [${wanted.join(', ')}]`,
      sort: undefined,
      first: IN_A_PART,
      offset: 0,
    });
    for (const entity of rows?.nodes ?? []) entities.set(entity.id, entity);
  }
  return ids.flatMap((id) => entities.get(id) ?? []);
}

import type { Change, Transaction } from '../../kernel/request/store-port.js';

/** An entity after its latest change. */
export type LatestState = Pick<Change, 'resource' | 'id' | 'after'>;

/**
 * Gives committed changes of these resources that the memory may not have yet, at most one for each entity.
 */
export type RecentChanges = (
  tx: Transaction,
  resources: readonly string[],
) => Promise<readonly LatestState[]>;

import type { Logger } from 'pino';
import { moveDueAssignments, removeEndedAssignments } from '../../access/assignments/index.js';
import { removeSettledRequests } from '../../access/requests/index.js';
import { roleAssignments } from '../../data/rows/role-assignment/index.js';
import type { Leases } from '../../data/store/leases.js';
import type { ContextFactory } from '../../graph/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import { DueClock } from './due-clock.js';
import { every } from './every.js';

const REMOVAL_MILLIS = 60_000;

interface AssignmentUpkeepOptions {
  readonly store: Store;
  readonly contexts: ContextFactory;
  readonly leases: Pick<Leases, 'alone'>;
  readonly log: Logger;
  /** How long ended assignments and settled requests stay: as long as their changes. */
  readonly keepMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Begins and ends role assignments when their time comes. Every controller does so, not only the holder of a lease:
 * then a controller that stands still delays none, and those that come second have nothing to change.
 */
export function startAssignmentUpkeep(options: AssignmentUpkeepOptions): () => Promise<void> {
  const { store, contexts, leases, keepMs, onError } = options;
  const clock = new DueClock({
    ...options,
    resource: 'RoleAssignment',
    millisUntilDue: (except) => roleAssignments.millisUntilDue(store, except),
    moveDue: (except) => moveDueAssignments(contexts.make('', undefined), except),
  });
  const removal = every(
    REMOVAL_MILLIS,
    () =>
      leases.alone('ended role assignments', async () => {
        const ctx = contexts.make('', undefined);
        await removeEndedAssignments(ctx, keepMs);
        await removeSettledRequests(ctx, keepMs);
      }),
    onError,
  );
  return async () => {
    clearInterval(removal);
    await clock.stop();
  };
}

import type { Logger } from 'pino';
import { moveDuePolicies } from '../../access/times/index.js';
import { servicePolicies } from '../../data/rows/policy/index.js';
import type { ContextFactory } from '../../graph/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import { DueClock } from './due-clock.js';

interface PolicyUpkeepOptions {
  readonly store: Store;
  readonly contexts: ContextFactory;
  readonly log: Logger;
  readonly onError: (error: unknown) => void;
}

/** Brings service policies into force and out of it when their time comes. As with role assignments, every controller does so. */
export function startPolicyUpkeep(options: PolicyUpkeepOptions): () => Promise<void> {
  const { store, contexts } = options;
  const clock = new DueClock({
    ...options,
    resource: 'ServicePolicy',
    millisUntilDue: (except) => servicePolicies.millisUntilDue(store, except),
    moveDue: (except) => moveDuePolicies(contexts.make('', undefined), except),
  });
  return () => clock.stop();
}

import type { Spending } from '../../requests/limits/index.js';
import type { ProcessMetrics } from '../../requests/observability/index.js';
import type { SiblingWrite } from '../../data/store/model-store.js';

/** The other processes of a controller with several workers, as one of them needs them. */
export interface Siblings {
  /** Tells them of a write; resolves when they have applied it, or are too busy. */
  readonly written: (write: SiblingWrite) => Promise<void>;
  /** Tells them what was counted for the limits of requests. */
  readonly spent: (spending: Spending) => void;
  readonly metrics: () => Promise<readonly ProcessMetrics[]>;
}

/** Of a controller that is one process. */
export const noSiblings: Siblings = {
  written: () => Promise.resolve(),
  spent: () => undefined,
  metrics: () => Promise.resolve([]),
};

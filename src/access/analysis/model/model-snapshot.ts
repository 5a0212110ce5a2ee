import type { PolicyIndex } from '../../../kernel/policy/index.js';
import { ModelOverlay } from './model-overlay.js';
import { entityRow, policyRow } from './what-if-change.js';

/**
 * The index at the moment of construction. It keeps the rows that later writes replace, so that
 * an analysis in slices reads the state of one moment.
 */
export class ModelSnapshot extends ModelOverlay {
  /** The version of the index at that moment. */
  readonly version: number;
  private readonly stop: () => void;

  constructor(index: PolicyIndex) {
    super(index);
    this.version = index.version;
    this.stop = index.watch((replaced) => {
      const { id } = replaced;
      if ('ordinal' in replaced) {
        this.retain(entityRow(replaced.kind, id, replaced.before), replaced.ordinal);
      } else {
        this.retain(policyRow(replaced.kind, id, replaced.before), undefined);
      }
    });
  }

  /** Stops following the index; later answers are invalid. */
  release(): void {
    this.stop();
  }
}

import type { PolicyIndex } from '../policy/index.js';
import { ModelOverlay } from './model-overlay.js';
import { entityRow, policyRow } from './what-if-change.js';

/**
 * The index as it was when this was made, while writes to it go on: it keeps what they replace.
 * Work that lets others run in between reads it, so that its answer is that of one moment.
 */
export class ModelSnapshot extends ModelOverlay {
  /** That of the index at the moment. */
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

  /** Stops following the index; from then on the answers are worthless. */
  release(): void {
    this.stop();
  }
}

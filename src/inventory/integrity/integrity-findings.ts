import type { Finding, RunFindings } from '../../data/rows/integrity/index.js';

/** Clients expect at most so many; of further findings only `tooMany` tells. */
const MAX_LISTED = 1_000;

/** The findings of a run so far. */
export class Findings implements RunFindings {
  readonly listed: Finding[] = [];
  /** Whether there are more findings than listed. */
  tooMany = false;

  add(description: string, fixed: boolean): void {
    if (this.listed.length < MAX_LISTED) this.listed.push({ description, fixed });
    else this.tooMany = true;
  }
}

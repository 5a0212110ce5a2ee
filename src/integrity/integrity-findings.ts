/** One thing that is wrong, in a sentence for operators. */
export interface Finding {
  readonly description: string;
  /** Whether this run has put it right. */
  readonly fixed: boolean;
}

/** Clients expect no more; the rest is only known to be there. */
const MOST = 1_000;

/** What a run has found so far. */
export class Findings {
  readonly listed: Finding[] = [];
  /** Whether more was found than is listed. */
  tooMany = false;

  add(description: string, fixed: boolean): void {
    if (this.listed.length < MOST) this.listed.push({ description, fixed });
    else this.tooMany = true;
  }
}

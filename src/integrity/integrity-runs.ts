import type { RequestContext } from '../kernel/request/context.js';
import { rateLimited } from '../base/errors.js';
import { newId } from '../base/ids.js';
import { detached } from '../kernel/request/request-scope.js';
import type { Store } from '../kernel/request/store-port.js';
import { checkHeldModel } from './check-held-model.js';
import { checkSideTables } from './check-side-tables.js';
import { checkTables } from './check-tables.js';
import { checkUniqueness } from './check-uniqueness.js';
import { Findings } from './integrity-findings.js';
import type { HeldModel, Run } from './run.js';
import {
  claimRun,
  endRun,
  keepRun,
  readRun,
  type IntegrityResults,
} from './integrity-run-table.js';

interface Parts {
  readonly store: Store;
  readonly held: HeldModel;
  readonly now: () => Date;
  /** A run that ended by an error tells it in its results; this is for the log. */
  readonly onError: (error: unknown) => void;
}

/** Ends a run without a fault of its own. */
class Ended extends Error {}

const STEPS: readonly ((run: Run) => Promise<void>)[] = [
  checkTables,
  checkSideTables,
  checkUniqueness,
  checkHeldModel,
];

/** How long a run takes nobody knows; so often it makes sense to ask. */
const COME_BACK_SECONDS = 5;

/** The integrity check of the network: one run at a time among all controllers of a database. */
export class IntegrityRuns {
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(private readonly parts: Parts) {}

  /**
   * Begins a run, which goes on after the answer.
   * @throws ApiError RATE_LIMITED while another one is under way
   */
  async start(ctx: RequestContext, fixing: boolean): Promise<IntegrityResults> {
    const { store, now } = this.parts;
    const holder = newId();
    if (this.#isStopped || !(await claimRun(store, holder, fixing, now()))) {
      throw rateLimited('a data integrity run is under way', COME_BACK_SECONDS);
    }
    this.#running = detached(() => this.run({ ...ctx, store }, holder, fixing));
    return readRun(store);
  }

  results(): Promise<IntegrityResults> {
    return readRun(this.parts.store);
  }

  /** When the run of this controller, if any, has ended. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  private async run(ctx: RequestContext, holder: string, fixing: boolean): Promise<void> {
    const { store, held, now, onError } = this.parts;
    const findings = new Findings();
    const checkpoint = async (): Promise<void> => {
      if (this.#isStopped) throw new Ended('the controller was stopped');
      if (!(await keepRun(store, holder, findings))) throw new Ended('another run has begun');
    };
    const run: Run = { ctx, held, fixing, findings, checkpoint };
    let error: string | null = null;
    try {
      for (const step of STEPS) await step(run);
    } catch (fault) {
      error = fault instanceof Ended ? fault.message : 'the run broke off; see the log';
      if (!(fault instanceof Ended)) onError(fault);
    }
    // Where the database is gone the claim lapses by itself.
    await endRun(store, holder, findings, error, now()).catch(onError);
  }
}

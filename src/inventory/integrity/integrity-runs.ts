import type { RequestContext } from '../../kernel/request/context.js';
import { rateLimited } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { integrityRuns, type IntegrityResults } from '../../data/rows/integrity/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import { checkHeldModel } from './check-held-model.js';
import { checkSideTables } from './check-side-tables.js';
import { checkTables } from './check-tables.js';
import { checkUniqueness } from './check-uniqueness.js';
import { Findings } from './integrity-findings.js';
import type { HeldModel, Run } from './run.js';

interface IntegrityRunsOptions {
  readonly store: Store;
  readonly held: HeldModel;
  readonly now: () => Date;
  /** Receives an error that aborts a run, for the log; the results describe it as well. */
  readonly onError: (error: unknown) => void;
}

/** Aborts a run for a reason outside of it. */
class RunAborted extends Error {}

const STEPS: readonly ((run: Run) => Promise<void>)[] = [
  checkTables,
  checkSideTables,
  checkUniqueness,
  checkHeldModel,
];

/** A useful interval to ask for the results; the duration of a run is unknown. */
const COME_BACK_SECONDS = 5;

/** The integrity check of the network: one run at a time among all controllers of a database. */
export class IntegrityRuns {
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(private readonly options: IntegrityRunsOptions) {}

  /**
   * Starts a run, which continues after the answer.
   * @throws ApiError RATE_LIMITED while another one is running
   */
  async start(ctx: RequestContext, fixing: boolean): Promise<IntegrityResults> {
    const { store, now } = this.options;
    const holder = newId();
    if (this.#isStopped || !(await integrityRuns.claim(store, holder, fixing, now()))) {
      throw rateLimited('a data integrity run is under way', COME_BACK_SECONDS);
    }
    this.#running = this.run({ ...ctx, store }, holder, fixing);
    return integrityRuns.read(store);
  }

  results(): Promise<IntegrityResults> {
    return integrityRuns.read(this.options.store);
  }

  /** Resolves when the run of this controller, if any, has ended. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  private async run(ctx: RequestContext, holder: string, fixing: boolean): Promise<void> {
    const { store, held, now, onError } = this.options;
    const findings = new Findings();
    const checkpoint = async (): Promise<void> => {
      if (this.#isStopped) throw new RunAborted('the controller was stopped');
      const isKept = await integrityRuns.keep(store, holder, findings);
      if (!isKept) throw new RunAborted('another run has begun');
    };
    const run: Run = { ctx, held, fixing, findings, checkpoint };
    let error: string | null = null;
    try {
      for (const step of STEPS) await step(run);
    } catch (fault) {
      error = fault instanceof RunAborted ? fault.message : 'the run broke off; see the log';
      if (!(fault instanceof RunAborted)) onError(fault);
    }
    // Without a database, the claim expires by itself.
    await integrityRuns.end(store, holder, findings, error, now()).catch(onError);
  }
}

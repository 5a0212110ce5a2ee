import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { eventually } from '../support/eventually.js';
import { LedgerCheck } from './check-ledger.js';
import { Ledger } from './ledger.js';
import { pick, randomFrom } from './random.js';
import type { Recovery } from './recoveries.js';
import { endsController, Victim, type Kind } from './victim.js';
import { graphDoor, restDoor, Writer } from './writer.js';

/** On the busiest machine. */
const PATIENCE = 120_000;
/** Rounds between two looks at everything. */
const ALL_EVERY = 100;
/** A kill comes so long after the writers began. */
const MOMENT_MS = 400;
/** One in so many is followed by another one while all comes back, which takes about so long. */
const AGAIN = 0.2;
const BEGINNING_MS = 1_500;
const REVIVAL_MS = 400;
const ASK_MS = 20;

/** Writers at both doors of a controller, and rounds in which something of it is killed. */
export class KillRounds {
  readonly ledger = new Ledger();
  readonly recoveries: Recovery[] = [];
  readonly #writers: Writer[];
  readonly #probe: Writer;
  readonly #check: LedgerCheck;
  #rounds = 0;

  private constructor(
    readonly seed: number,
    private readonly random: () => number,
    private readonly victim: Victim,
  ) {
    const doors = [restDoor, graphDoor, restDoor, graphDoor];
    this.#writers = doors.map((door, i) => this.#writer(`writer ${String(i)}`, door));
    this.#probe = this.#writer('probe', restDoor);
    this.#check = new LedgerCheck(
      this.ledger,
      (text, values) => this.query(text, values),
      victim.api,
    );
  }

  static async begin(seed: number): Promise<KillRounds> {
    const random = randomFrom(seed);
    return new KillRounds(seed, random, await Victim.begin(random));
  }

  end(): Promise<void> {
    return this.victim.end();
  }

  /** One kill, or two in a row; fails with all that is needed to see it again. */
  async round(kind: Kind): Promise<void> {
    this.#rounds += 1;
    try {
      await this.#killWhileWriting(kind);
      const isAll = this.#rounds % ALL_EVERY === 0;
      await this.checkLedger(isAll);
      if (isAll) await this.checkIntegrity();
    } catch (error) {
      const where = `seed ${String(this.seed)}, round ${String(this.#rounds)}, ${kind}`;
      throw new Error(`${where}: ${String(error)}\n${this.victim.output.slice(-4_000)}`, {
        cause: error,
      });
    }
  }

  async checkLedger(isAll: boolean): Promise<void> {
    await this.#isSettled();
    const touched = this.ledger.takeTouched();
    const faults = await this.#check.run(isAll ? this.ledger.all : touched);
    if (faults.length > 0) throw new Error(`lost or broken: ${faults.slice(0, 20).join('; ')}`);
  }

  async checkIntegrity(): Promise<void> {
    await eventually(async () => {
      const { errors } = await this.victim.api.graphql(START);
      if (errors) throw new Error(JSON.stringify(errors));
    }, PATIENCE);
    const { value } = await eventually(async () => {
      const { data } = await this.victim.api.graphql(RESULTS);
      const { dataIntegrityResults } = data as { dataIntegrityResults: { inProgress: boolean } };
      if (dataIntegrityResults.inProgress) throw new Error('the check has not ended');
      return dataIntegrityResults;
    }, PATIENCE);
    const found = JSON.stringify(value);
    if (found !== CLEAN) throw new Error(`the data integrity check found ${found}`);
  }

  async #killWhileWriting(kind: Kind): Promise<void> {
    let isOver = false;
    const writing = Promise.all(this.#writers.map((writer) => writer.writeUntil(() => isOver)));
    // A writer that fails ends the round; until it is waited for that is no fault of its own.
    writing.catch(() => undefined);
    try {
      await delay(this.random() * MOMENT_MS);
      this.recoveries.push({ kind, millis: await this.#kill(kind) });
      await delay((this.random() * MOMENT_MS) / 4);
    } finally {
      isOver = true;
    }
    await writing;
  }

  /** Gives how long it took until all was well again. */
  async #kill(kind: Kind): Promise<number> {
    const beside = await this.victim.connect();
    let at = performance.now();
    await this.victim.kill(kind, beside);
    await beside.end().catch(() => undefined);
    let beginning = endsController(kind) ? this.victim.start() : undefined;
    if (this.random() < AGAIN) {
      beginning?.isReady.catch(() => undefined);
      await delay(this.random() * (beginning ? BEGINNING_MS : REVIVAL_MS));
      at = performance.now();
      const isController = beginning !== undefined;
      await this.victim.killAgain(isController ? pick(this.random, ENDINGS) : 'postmaster');
      if (isController) beginning = this.victim.start();
    }
    await beginning?.isReady;
    await Promise.all([this.#isRead(), this.#isWritten()]);
    return performance.now() - at;
  }

  async #isRead(): Promise<void> {
    await untilGood(async () => {
      const { status } = await this.victim.api.rest('GET', '/services?limit=1');
      return status === 200;
    });
  }

  async #isWritten(): Promise<void> {
    await untilGood(() => this.#probe.create());
  }

  /** What a killed controller had sent, or gave up waiting for, has come to its end. */
  async #isSettled(): Promise<void> {
    const client = await this.victim.connect();
    try {
      await eventually(async () => {
        const { rowCount } = await client.query(WRITING);
        if (rowCount !== 0) throw new Error('transactions are still under way');
      }, PATIENCE);
    } finally {
      await client.end();
    }
  }

  /** A statement beside the controller. */
  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client: pg.Client = await this.victim.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  #writer(name: string, door: typeof restDoor): Writer {
    return new Writer(name, door, this.victim.api, this.ledger, this.random);
  }
}

/** Asks seldom enough to leave the processors to what comes back. */
async function untilGood(attempt: () => Promise<boolean>): Promise<void> {
  let cause: unknown;
  const isGood = (): Promise<boolean> =>
    attempt().catch((error: unknown) => {
      cause = error;
      return false;
    });
  for (const deadline = Date.now() + PATIENCE; !(await isGood());) {
    if (Date.now() > deadline) throw new Error('it does not serve again', { cause });
    await delay(ASK_MS);
  }
}

const ENDINGS: readonly Kind[] = ['controller', 'both'];

const WRITING = `select from pg_locks join pg_stat_activity using (pid)
  where datname = 'overgraph' and relation = 'service'::regclass and mode = 'RowExclusiveLock'`;

const START = 'mutation { checkDataIntegrity { inProgress } }';
const RESULTS =
  '{ dataIntegrityResults { inProgress error tooManyErrors results { description } } }';
const CLEAN = '{"inProgress":false,"error":null,"tooManyErrors":false,"results":[]}';

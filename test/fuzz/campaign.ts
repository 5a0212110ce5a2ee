import type { ControllerProcess } from '../support/controller.js';
import type { FuzzRequest } from './fuzz-request.js';
import { generate } from './generate.js';
import { faultIn, parsed } from './judge.js';
import type { LeftOut } from './odd-values.js';
import { NoAnswer, RawClient, type Outcome } from './raw-client.js';
import { shrunk } from './shrink.js';
import { SOCKETS, sendBatch } from './socket-batches.js';
import { MAX_STALL_MILLIS, StallWatch, type Suspicion } from './stall-watch.js';
import { MainThread, vitalsIn, metricsOf, type Vitals } from './vital-signs.js';
import { wireOf } from './wire.js';
import { World } from './world.js';

export interface CampaignSettings {
  readonly seed: number;
  readonly count: number;
  /** These requests alone. */
  readonly only?: readonly number[];
  readonly leftOut: LeftOut;
  readonly connections: number;
  /** The run ends then, whatever it has sent. */
  readonly longestMillis: number;
  /** After each part of the run. */
  readonly onPart?: (report: Report) => void;
}

/** A request after which something was wrong. */
export interface Fault {
  readonly request: FuzzRequest;
  readonly what: string;
  readonly answer: string;
  /** The smallest that was found to do the same; undefined when it does it not alone. */
  readonly smallest?: FuzzRequest | undefined;
}

export interface Report {
  readonly seed: number;
  sent: number;
  seconds: number;
  readonly statuses: Map<number, number>;
  /** Answers below 300, without errors, by operation. */
  readonly succeeded: Map<string, number>;
  readonly faults: Fault[];
  readonly suspicions: readonly Suspicion<FuzzRequest>[];
  readonly vitals: Vitals[];
  /** Lines of the log of level error and above. */
  readonly errorLines: string[];
}

const PARTS = 50;
const MAX_FAULTS = 40;
const MAX_LINES = 400;
const SUCCESS = 300;
const ERROR_LEVEL = 50;

/** Sends many generated requests to a controller and watches what becomes of it. */
export class Campaign {
  readonly report: Report;
  readonly #watch: StallWatch<FuzzRequest>;
  readonly #thread: MainThread;
  readonly #faultNames = new Set<string>();
  #next = 0;

  private constructor(
    private readonly world: World,
    private readonly settings: CampaignSettings,
  ) {
    const { child } = world.controller;
    this.#thread = new MainThread(child.pid ?? 0);
    this.#watch = new StallWatch(this.#thread);
    this.report = {
      seed: settings.seed,
      sent: 0,
      seconds: 0,
      statuses: new Map(),
      succeeded: new Map(),
      faults: [],
      suspicions: this.#watch.suspicions,
      vitals: [],
      errorLines: [],
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.readLog(chunk.toString());
      });
    }
  }

  static async run(controller: ControllerProcess, settings: CampaignSettings): Promise<Report> {
    const campaign = new Campaign(await World.build(controller), settings);
    await campaign.sendAll();
    await campaign.tryAgain();
    return campaign.report;
  }

  private get isRunning(): boolean {
    const { exitCode, signalCode } = this.world.controller.child;
    return exitCode === null && signalCode === null;
  }

  private async sendAll(): Promise<void> {
    const began = performance.now();
    const { connections } = this.settings;
    const clients = Array.from({ length: connections }, () => this.newClient());
    await Promise.all(clients.map((client) => this.keepSending(client, began)));
    for (const client of clients) client.end();
    this.report.seconds = (performance.now() - began) / 1000;
    this.#watch.stop();
  }

  private newClient(): RawClient {
    return new RawClient(this.world.controller.port, this.#watch.progress);
  }

  private async keepSending(client: RawClient, began: number): Promise<void> {
    const { only, count, seed, leftOut } = this.settings;
    const total = only?.length ?? count;
    while (this.#next < total && this.mayGoOn(began)) {
      const at = this.#next++;
      await this.sendOne(client, generate(seed, only?.[at] ?? at, leftOut));
      this.report.sent += 1;
      if (at % Math.ceil(total / PARTS) !== 0 || !this.isRunning) continue;
      this.report.vitals.push(vitalsIn(await metricsOf(this.world.controller)));
      this.report.seconds = (performance.now() - began) / 1000;
      this.settings.onPart?.(this.report);
    }
  }

  private mayGoOn(began: number): boolean {
    const isInTime = performance.now() - began < this.settings.longestMillis;
    return isInTime && this.isRunning && this.report.faults.length < MAX_FAULTS;
  }

  private async sendOne(client: RawClient, request: FuzzRequest): Promise<void> {
    this.#watch.begin(request);
    const outcome = await this.outcomeOf(client, request);
    this.#watch.end(request);
    if (outcome instanceof NoAnswer) {
      this.addFault(request, `no answer: ${outcome.message.split(';')[0] ?? ''}`, outcome.message);
      return;
    }
    const { statuses } = this.report;
    statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1);
    const fault = faultIn(outcome);
    if (fault !== undefined) this.addFault(request, fault, outcome.text);
    await this.learn(request, outcome);
  }

  private async outcomeOf(client: RawClient, request: FuzzRequest): Promise<Outcome | NoAnswer> {
    const { lookup, controller } = this.world;
    const session = this.world.sessionOf(request.caller, request.index);
    try {
      return request.operation === SOCKETS
        ? await sendBatch(controller.port, request, lookup, session)
        : await client.send(wireOf(request, lookup, session));
    } catch (error) {
      if (error instanceof NoAnswer) return error;
      return new NoAnswer(`the connection failed: ${String(error)}`);
    }
  }

  private addFault(request: FuzzRequest, what: string, answer: string): void {
    const name = `${request.operation} ${what}`;
    if (this.#faultNames.has(name)) return;
    this.#faultNames.add(name);
    this.report.faults.push({ request, what, answer: answer.slice(0, 1_000) });
  }

  /** Follows what requests have made and deleted, and sessions that they have ended. */
  private async learn(request: FuzzRequest, { status, text }: Outcome): Promise<void> {
    const { operation, method, creates, caller } = request;
    if (status === 401 || text.includes('"UNAUTHORIZED"')) await this.world.lookAfter(caller);
    if (status >= SUCCESS || status === 0 || text.includes('"errors":[')) return;
    const { succeeded } = this.report;
    succeeded.set(operation, (succeeded.get(operation) ?? 0) + 1);
    const isDelete = method === 'DELETE' || operation.startsWith('graphql delete');
    if (creates === undefined && !isDelete) return;
    const [id] = idsIn(parsed(text));
    if (creates !== undefined && id !== undefined) await this.makeRoom(creates, id);
    if (isDelete) this.world.forget(deletedBy(request, id, this.world));
  }

  private async makeRoom(kind: string, id: string): Promise<void> {
    const oldest = this.world.adopt(kind, id);
    if (oldest !== undefined) await this.world.controller.rest('DELETE', `/${kind}/${oldest}`);
  }

  private readLog(text: string): void {
    for (const line of text.split('\n')) {
      const entry = parsed(line) as { level?: number } | undefined;
      const isError = entry ? (entry.level ?? 0) >= ERROR_LEVEL : /^\s*at |Error:/.test(line);
      if (isError && this.report.errorLines.length < MAX_LINES) this.report.errorLines.push(line);
    }
  }

  /** Sends what was at fault alone, smaller and smaller; and what is suspected of a stall. */
  private async tryAgain(): Promise<void> {
    const { faults } = this.report;
    for (const [i, fault] of faults.entries()) {
      const fails = async (candidate: FuzzRequest): Promise<boolean> =>
        (await this.whatAlone(candidate)) === fault.what;
      if (!this.isRunning || !(await fails(fault.request))) continue;
      faults[i] = { ...fault, smallest: await shrunk(fault.request, fails) };
    }
    for (const { underWay } of this.report.suspicions.slice(0, MAX_FAULTS)) {
      for (const request of underWay) if (this.isRunning) await this.judgeStall(request);
    }
  }

  private async whatAlone(request: FuzzRequest): Promise<string | undefined> {
    const client = this.newClient();
    const outcome = await this.outcomeOf(client, request);
    client.end();
    return outcome instanceof NoAnswer
      ? `no answer: ${outcome.message.split(';')[0] ?? ''}`
      : faultIn(outcome);
  }

  private async judgeStall(request: FuzzRequest): Promise<void> {
    const before = this.#thread.used;
    await this.whatAlone(request);
    const used = this.#thread.used - before;
    if (used > MAX_STALL_MILLIS) {
      this.addFault(request, 'stall', `used ${String(used)} ms of the processor`);
    }
  }
}

/** Ids of what an answer shows first. */
function idsIn(body: unknown): string[] {
  const { data } = (body ?? {}) as { data?: unknown };
  const first: unknown =
    typeof data === 'object' && data !== null && !('id' in data) ? Object.values(data)[0] : data;
  if (typeof first === 'string') return [first];
  const { id } = (first ?? {}) as { id?: unknown };
  return typeof id === 'string' ? [id] : [];
}

function deletedBy({ path }: FuzzRequest, id: string | undefined, { lookup }: World): string {
  const [, kind = '', n = '0'] = /ID_([a-z-]+)_(\d+)_DI$/.exec(path) ?? [];
  return lookup(kind, Number(n)) ?? id ?? '';
}

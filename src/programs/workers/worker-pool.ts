import { fork, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { builtProgram } from '../../base/program-folder.js';
import type { LoginObserver } from '../../trust/auth/index.js';
import type { LiveEvents } from '../../network/events/index.js';
import type { Cursor, LoggedChange } from '../../kernel/request/store-port.js';
import { senderOf, type Receiver, type Spending } from '../../requests/limits/index.js';
import type { SiblingWrite } from '../../data/store/model-store.js';
import { Channel, type Handlers } from './channel.js';
import { Handover, type Connection } from './handover.js';
import type { ProcessMetrics } from '../../requests/observability/index.js';
import type { Pulse, ToFirst, ToWorker, WorkerStart } from './messages.js';
import { NOT_TOGGLED, StreamsOfWorker } from './relayed-live-events.js';

const PROGRAM = builtProgram('worker-main');
/** Half of what Node takes: next to nothing outlives a request, so a larger one takes memory alone. */
const SMALL_YOUNG_SPACE = '--max-semi-space-size=8';
/**
 * The C library of most Linux systems keeps memory apart for each thread that ever needed some. Those
 * of a worker compile and collect for it from time to time, and would hold 10 to 20 MB more. Other
 * systems do not know this variable.
 */
const FEW_ARENAS = { MALLOC_ARENA_MAX: '2' };

/**
 * A process that is too busy to apply a write in this time applies it before its next request, since
 * messages arrive in order.
 */
const WRITE_MILLIS = 250;
const METRICS_MILLIS = 1_000;
const REPORT_LOGINS_MILLIS = 2_000;
/** A worker that ends earlier after its start is replaced after a pause. */
const SHORT_LIFE_MILLIS = 10_000;
const PAUSE_MILLIS = 5_000;

/** The parts of the first process that workers need. */
export interface FirstProcess extends Pick<WorkerStart, 'databaseUrl'> {
  /** The position of the change feed. */
  readonly position: () => Cursor;
  readonly applyWrite: (write: SiblingWrite) => void;
  readonly spentElsewhere: (spending: Spending) => void;
  readonly onLogin: LoginObserver;
  /** Whether anybody wants to know of logins. */
  readonly wantsLogins: () => boolean;
  readonly events: LiveEvents;
  readonly metrics: () => Promise<ProcessMetrics>;
}

/**
 * The workers of a controller: processes that serve requests beside the first one. The first process
 * accepts all connections, and gives each to the process with the fewest. It forwards what the
 * processes must know of each other. A worker that ends is replaced; connections on their way to it go
 * to another process.
 *
 * Speed needs them (docs/benchmark.md, "Workers"): two give a quarter more pages on two cores, and keep
 * "a page of identities, while 500 routers connect" quick.
 */
export class WorkerPool {
  /** The time limit of a stop: a worker ends its connections, and then the controller in it. */
  static readonly stopMillis = 25_000;

  readonly #workers = new Set<Worker>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #first: FirstProcess | undefined;
  #isStopping = false;
  /** Receives connections, once `receiver` was called. */
  #receive: Receiver = closeConnection;

  constructor(
    private readonly log: Logger,
    count: number,
    /** The environment of the controller, which the workers get. */
    private readonly environment: NodeJS.ProcessEnv,
  ) {
    for (let i = 0; i < count; i += 1) this.fork();
  }

  /** Lets the workers start; resolves when each serves connections or has ended. */
  async start(first: FirstProcess): Promise<void> {
    this.#first = first;
    for (const worker of this.#workers) worker.start(first);
    await Promise.all([...this.#workers].map((worker) => worker.started));
  }

  /** The number of workers that serve connections. */
  get readyCount(): number {
    return [...this.#workers].filter(({ isReady }) => isReady).length;
  }

  /**
   * Makes the receiver of all connections, which serves some of them in this process. With
   * `bySender`, one process serves all connections that a sender has at a time, so that limits for
   * each sender are exact.
   */
  receiver(serveHere: Receiver, bySender: boolean): Receiver {
    const here: Server = {
      isReady: true,
      open: 0,
      give(socket, onClosed) {
        this.open += 1;
        serveHere(socket, () => {
          this.open -= 1;
          onClosed();
        });
      },
    };
    const idlest = (): Server =>
      [...this.#workers].reduce<Server>(
        (best, worker) => (worker.isReady && worker.open <= best.open ? worker : best),
        here,
      );
    const giveToIdlest: Receiver = (...connection) => {
      idlest().give(...connection);
    };
    this.#receive = bySender ? receiverBySender(idlest) : giveToIdlest;
    return this.#receive;
  }

  /** Resolves when all workers have applied a write of this process, or are too busy. */
  async written(write: SiblingWrite, except?: Worker): Promise<void> {
    await Promise.all(
      this.others(except).map((worker) => worker.channel.ask('written', write, WRITE_MILLIS)),
    );
  }

  deliver(changes: readonly LoggedChange[]): void {
    for (const worker of this.others()) worker.channel.tell('changes', changes);
  }

  pulse(pulse: Pulse): void {
    for (const worker of this.others()) worker.channel.tell('pulse', pulse);
  }

  spent(spending: Spending, except?: Worker): void {
    for (const worker of this.others(except)) worker.channel.tell('spent', spending);
  }

  newKeys(): void {
    for (const worker of this.others()) worker.channel.tell('newKeys', null);
  }

  /** Lets the workers report their logins, or not any more; resolves when they do. */
  async reportLogins(areWanted: boolean): Promise<void> {
    await Promise.all(
      this.others().map((worker) =>
        worker.channel.ask('reportLogins', areWanted, REPORT_LOGINS_MILLIS),
      ),
    );
  }

  async metrics(except?: Worker): Promise<ProcessMetrics[]> {
    const answers = await Promise.all(
      this.others(except).map((worker) => worker.channel.ask('metrics', null, METRICS_MILLIS)),
    );
    return answers.filter((metrics) => metrics !== undefined);
  }

  /** Lets the workers end in order; resolves when all have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#receive = closeConnection;
    for (const pause of this.#pauses) clearTimeout(pause);
    const ends = [...this.#workers].map((worker) => worker.stop());
    await Promise.all(ends);
  }

  private others(except?: Worker): Worker[] {
    return [...this.#workers].filter((worker) => worker.isStarted && worker !== except);
  }

  private fork(): void {
    const forkedAt = performance.now();
    const streams = new StreamsOfWorker(
      () => worker.channel,
      () => this.#first?.events,
    );
    const worker: Worker = new Worker(this.environment, {
      written: async (write) => {
        this.#first?.applyWrite(write);
        await this.written(write, worker);
        return true;
      },
      spent: (spending) => {
        this.#first?.spentElsewhere(spending);
        this.spent(spending, worker);
      },
      login: (attempt) => {
        this.#first?.onLogin(attempt);
      },
      openStream: ({ id, subscriptions }) => streams.open(id, subscriptions),
      closeStream: ({ id }) => {
        streams.close(id);
      },
      toggleTraces: (toggle) => this.#first?.events.toggleTraces(toggle) ?? NOT_TOGGLED,
      metrics: async () => {
        const own = await this.#first?.metrics();
        const others = await this.metrics(worker);
        return own ? [own, ...others] : others;
      },
    });
    this.#workers.add(worker);
    void worker.ended.then((untaken) => {
      this.#workers.delete(worker);
      streams.closeAll();
      for (const { socket, onClosed, start } of untaken) this.#receive(socket, onClosed, start);
      if (this.#isStopping) return;
      const { pid, exitCode, signalCode } = worker.process;
      const facts = { worker: pid, exitCode, signal: signalCode };
      this.log.error(facts, 'a worker ended unexpectedly and is replaced');
      this.replace(performance.now() - forkedAt < SHORT_LIFE_MILLIS ? PAUSE_MILLIS : 0);
    });
    if (this.#first) worker.start(this.#first);
  }

  private replace(pauseMillis: number): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.fork();
    }, pauseMillis);
    this.#pauses.add(pause);
  }
}

const closeConnection: Receiver = (socket, onClosed) => {
  socket.destroy();
  onClosed();
};

/** A process that serves connections. */
interface Server {
  readonly isReady: boolean;
  /** The number of its connections. */
  open: number;
  readonly give: Receiver;
}

/** Gives all open connections of a sender to one process. */
function receiverBySender(choose: () => Server): Receiver {
  const chosen = new Map<string, { server: Server; open: number }>();
  return (socket, onClosed, start) => {
    const sender = senderOf(socket.remoteAddress);
    const earlier = chosen.get(sender);
    const of = earlier?.server.isReady === true ? earlier : { server: choose(), open: 0 };
    chosen.set(sender, of);
    of.open += 1;
    const onClosedThere = (): void => {
      of.open -= 1;
      if (of.open === 0 && chosen.get(sender) === of) chosen.delete(sender);
      onClosed();
    };
    of.server.give(socket, onClosedThere, start);
  };
}

type PoolHandlers = Omit<Handlers<ToFirst>, 'ready' | 'ending' | 'taken' | 'closed'>;

/** A worker as the first process knows it. */
class Worker implements Server {
  readonly process: ChildProcess;
  readonly channel: Channel<ToWorker, ToFirst>;
  /** Resolves when it serves connections or has ended. */
  readonly started: Promise<void>;
  /** Resolves when it has ended, with the connections that it has not taken. */
  readonly ended: Promise<readonly Connection[]>;
  /** It was told the facts to start with, and gets all news from then on. */
  isStarted = false;
  /** It serves connections. */
  isReady = false;
  readonly #onClosed = new Map<number, () => void>();
  readonly #handover = new Handover((id, { socket, start }) => {
    this.channel.tell('connection', { id, start }, socket);
  });
  #lastId = 0;

  constructor(environment: NodeJS.ProcessEnv, handlers: PoolHandlers) {
    const execArgv = [SMALL_YOUNG_SPACE, ...process.execArgv];
    const env = { ...FEW_ARENAS, ...environment };
    this.process = fork(PROGRAM, { serialization: 'advanced', execArgv, env });
    let resolveStarted: () => void = () => undefined;
    this.started = new Promise((resolve) => {
      resolveStarted = resolve;
    });
    this.channel = new Channel<ToWorker, ToFirst>(this.process, {
      ...handlers,
      ready: () => {
        this.isReady = true;
        resolveStarted();
      },
      ending: () => {
        this.isReady = false;
      },
      taken: ({ id }) => {
        this.#handover.taken(id);
      },
      closed: ({ id }) => {
        this.closed(id);
      },
    });
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.isReady = false;
        this.isStarted = false;
        const { untaken } = this.#handover;
        for (const id of untaken.keys()) this.#onClosed.delete(id);
        for (const id of [...this.#onClosed.keys()]) this.closed(id);
        resolveStarted();
        resolve([...untaken.values()]);
      };
      this.process.once('exit', () => {
        this.isReady = false;
      });
      // All of its messages have come.
      this.process.once('close', end);
      // Also a message that can not be sent is an error; a process that did not start has no id.
      this.process.on('error', () => {
        if (this.process.pid === undefined) end();
      });
    });
  }

  /** The number of its connections. */
  get open(): number {
    return this.#onClosed.size;
  }

  start({ databaseUrl, position, wantsLogins }: FirstProcess): void {
    this.isStarted = true;
    const reportsLogins = wantsLogins();
    this.channel.tell('start', { databaseUrl, position: position(), reportsLogins });
  }

  give(socket: Socket, onClosed: () => void, start?: Buffer): void {
    const id = (this.#lastId += 1);
    this.#onClosed.set(id, onClosed);
    this.#handover.give(id, { socket, onClosed, start });
  }

  async stop(): Promise<void> {
    this.isReady = false;
    this.channel.tell('stop', null);
    await this.ended;
  }

  private closed(id: number): void {
    this.#onClosed.get(id)?.();
    this.#onClosed.delete(id);
  }
}

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EndedRequest, RequestWatcher } from './request-observer.js';

/** Where the numbers come from that are not counted here. */
export interface MetricSources {
  readonly database: {
    /** Sent so far. */
    readonly statements: number;
    readonly pool: {
      readonly totalCount: number;
      readonly idleCount: number;
      readonly waitingCount: number;
    };
  };
  /** Milliseconds since the change log was last read to its end. */
  readonly feedSilence: () => number;
  /** What the policy index holds, by kind. */
  readonly indexed: () => Iterable<readonly [kind: string, count: number]>;
  /** How long it took to read the model into memory at the start. */
  readonly indexMillis: number;
  /** Live ones of the whole network; throws while the database can not tell. */
  readonly sessions: () => Promise<{ readonly api: number; readonly service: number }>;
  readonly openRequests: () => number;
  /** What this build is. */
  readonly build: Readonly<Record<'version' | 'revision' | 'node', string>>;
}

const LATENCIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const DELAYS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** A scrape does not wait longer for the database. */
const PATIENCE_MILLIS = 1_000;

/** Prometheus metrics of this controller. Labels take their values from fixed sets. */
export class Metrics implements RequestWatcher {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'overgraph_requests_total',
    help: 'Requests by operation and status of the outcome; 499: the client went away.',
    labelNames: ['door', 'operation', 'status'],
    registers: [this.#registry],
  });
  readonly #latencies = new Histogram({
    name: 'overgraph_request_duration_seconds',
    help: 'From the first to the last byte of a request, by operation.',
    labelNames: ['door', 'operation'],
    buckets: LATENCIES,
    registers: [this.#registry],
  });
  readonly #delays = new Histogram({
    name: 'overgraph_feed_delay_seconds',
    help: 'From the time of a change, anywhere in the network, to its arrival here.',
    buckets: DELAYS,
    registers: [this.#registry],
  });

  constructor(private readonly sources: MetricSources) {
    collectDefaultMetrics({ register: this.#registry });
    this.countDatabase();
    this.countModel();
    new Gauge({
      name: 'overgraph_build_info',
      help: 'What runs here; always 1.',
      labelNames: Object.keys(sources.build),
      registers: [this.#registry],
    }).set(sources.build, 1);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** In the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  end({ note: { door, operation }, status, millis, isStream }: EndedRequest): void {
    this.#requests.inc({ door, operation, status });
    if (!isStream) this.#latencies.observe({ door, operation }, millis / 1000);
  }

  /** Changes that the feed brought. */
  delivered(changes: readonly { readonly at: Date }[], now: Date): void {
    for (const { at } of changes) {
      this.#delays.observe(Math.max(0, now.getTime() - at.getTime()) / 1000);
    }
  }

  private countDatabase(): void {
    const registers = [this.#registry];
    const { database, feedSilence, openRequests } = this.sources;
    new Counter({
      name: 'overgraph_sql_statements_total',
      help: 'Statements sent to PostgreSQL.',
      registers,
      collect() {
        this.reset();
        this.inc(database.statements);
      },
    });
    new Gauge({
      name: 'overgraph_database_connections',
      help: 'Connections of the pool; waiting: requests for one.',
      labelNames: ['state'],
      registers,
      collect() {
        const { totalCount, idleCount, waitingCount } = database.pool;
        this.set({ state: 'total' }, totalCount);
        this.set({ state: 'idle' }, idleCount);
        this.set({ state: 'waiting' }, waitingCount);
      },
    });
    new Gauge({
      name: 'overgraph_feed_silence_seconds',
      help: 'Since the change log was last read to its end; below 1 when all is well.',
      registers,
      collect() {
        this.set(feedSilence() / 1000);
      },
    });
    new Gauge({
      name: 'overgraph_requests_open',
      help: 'Requests that are not answered yet.',
      registers,
      collect() {
        this.set(openRequests());
      },
    });
  }

  private countModel(): void {
    const registers = [this.#registry];
    const { indexed, indexMillis, sessions } = this.sources;
    new Gauge({
      name: 'overgraph_policy_index_entries',
      help: 'Entities and policies that the policy index holds.',
      labelNames: ['kind'],
      registers,
      collect() {
        for (const [kind, count] of indexed()) this.set({ kind }, count);
      },
    });
    new Gauge({
      name: 'overgraph_policy_index_build_seconds',
      help: 'How long it took to read the model into memory at the start.',
      registers,
    }).set(indexMillis / 1000);
    new Gauge({
      name: 'overgraph_sessions',
      help: 'Live API sessions, and sessions for services, of the whole network.',
      labelNames: ['kind'],
      registers,
      async collect() {
        this.reset();
        const counted = await soon(sessions());
        if (!counted) return;
        this.set({ kind: 'api' }, counted.api);
        this.set({ kind: 'service' }, counted.service);
      },
    });
  }
}

/** Nothing when it fails or takes long: the other numbers are wanted then most of all. */
async function soon<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MILLIS, undefined);
  });
  const done = await Promise.race([work.catch(() => undefined), patience]);
  clearTimeout(timer);
  return done;
}

import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client';
import type { EndedRequest, RequestWatcher } from './request-observer.js';

/** Sources of numbers that are not counted here. */
export interface MetricSources {
  readonly database: {
    /** Number of statements sent. */
    readonly statements: number;
    readonly pool: {
      readonly totalCount: number;
      readonly idleCount: number;
      readonly waitingCount: number;
    };
  };
  /** Milliseconds since the change log was last read to its end. */
  readonly feedSilence: () => number;
  /** Number of entries in the policy index, by kind. */
  readonly indexed: () => Iterable<readonly [kind: string, count: number]>;
  /** Milliseconds to load the model into memory at the start. */
  readonly indexMillis: number;
  /** Live sessions of the whole network; throws while the database does not answer. */
  readonly sessions: () => Promise<{ readonly api: number; readonly service: number }>;
  readonly openRequests: () => number;
  /** Gives the metrics of the other processes of this controller. */
  readonly ofOthers: () => Promise<readonly ProcessMetrics[]>;
  /** Facts about this build. */
  readonly build: Readonly<Record<'version' | 'revision' | 'node', string>>;
}

/** The metrics of one process. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

const LATENCIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const DELAYS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Longest wait of a scrape for the database. */
const PATIENCE_MILLIS = 1_000;

/** Prometheus metrics of this controller. Labels take their values from fixed sets. */
export class Metrics implements RequestWatcher {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'overgraph_requests_total',
    help: 'Requests by operation and status of the outcome; 499: the client disconnected.',
    labelNames: ['door', 'operation', 'status'],
    registers: [this.#registry],
  });
  readonly #latencies = new Histogram({
    name: 'overgraph_request_duration_seconds',
    help: 'Time from the first to the last byte of a request, by operation.',
    labelNames: ['door', 'operation'],
    buckets: LATENCIES,
    registers: [this.#registry],
  });
  readonly #delays = new Histogram({
    name: 'overgraph_feed_delay_seconds',
    help: 'Time from a change anywhere in the network to its arrival at this controller.',
    buckets: DELAYS,
    registers: [this.#registry],
  });

  constructor(private readonly sources: MetricSources) {
    collectDefaultMetrics({ register: this.#registry });
    this.countDatabase();
    this.countModel();
    new Gauge({
      name: 'overgraph_build_info',
      help: 'The running build; always 1.',
      labelNames: Object.keys(sources.build),
      aggregator: 'first',
      registers: [this.#registry],
    }).set(sources.build, 1);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The metrics of all processes of this controller, in the text format of Prometheus. */
  async text(): Promise<string> {
    const [own, others] = await Promise.all([this.ofThisProcess(), this.sources.ofOthers()]);
    if (others.length === 0) return this.#registry.metrics();
    return AggregatorRegistry.aggregate([own, ...others].map((metrics) => [...metrics])).metrics();
  }

  ofThisProcess(): Promise<ProcessMetrics> {
    return this.#registry.getMetricsAsJSON();
  }

  end({ note: { door, operation }, status, millis, isStream }: EndedRequest): void {
    this.#requests.inc({ door, operation, status });
    if (!isStream) this.#latencies.observe({ door, operation }, millis / 1000);
  }

  /** Records the delay of changes that the feed delivered. */
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
      help: 'Connections of the pool; waiting: requests that wait for a connection.',
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
      help: 'Time since the change log was last read to its end; normally below 1.',
      aggregator: 'max',
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
      help: 'Number of entities and policies in the policy index.',
      labelNames: ['kind'],
      aggregator: 'max',
      registers,
      collect() {
        for (const [kind, count] of indexed()) this.set({ kind }, count);
      },
    });
    new Gauge({
      name: 'overgraph_policy_index_build_seconds',
      help: 'Time to load the model into memory at the start.',
      aggregator: 'max',
      registers,
    }).set(indexMillis / 1000);
    new Gauge({
      name: 'overgraph_sessions',
      help: 'Live API sessions, and sessions for services, of the whole network.',
      labelNames: ['kind'],
      aggregator: 'first',
      registers,
      async collect() {
        this.reset();
        const counts = await resultInTime(sessions());
        if (!counts) return;
        this.set({ kind: 'api' }, counts.api);
        this.set({ kind: 'service' }, counts.service);
      },
    });
  }
}

/** Gives undefined if the work fails or takes long, so that the other metrics are still reported. */
async function resultInTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MILLIS, undefined);
  });
  const done = await Promise.race([work.catch(() => undefined), patience]);
  clearTimeout(timer);
  return done;
}

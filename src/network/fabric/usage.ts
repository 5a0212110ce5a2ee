import { usage, type UsageEntry } from '../../data/rows/fabric/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import type { Circuit } from './circuit.js';
import type { UsageReport } from './metrics-report.js';

export interface UsageOptions {
  readonly store: Rows;
  readonly now: () => Date;
  /** A circuit that exists, or has ended a moment ago. */
  readonly circuit: (id: string) => Circuit | undefined;
  /** The time for which the bytes of an hour are kept. */
  readonly keepMillis: number;
  readonly onError: (error: unknown) => void;
}

const HOUR_MILLIS = 3_600_000;
const PAUSE_MILLIS = 1_000;
const MAX_IN_ONE_WRITE = 5_000;
/** Beyond so many entries that can not be stored, new ones are dropped. */
const MAX_WAITING = 100_000;
/** No circuit carries more in a minute: a router that says so is wrong. */
const MAX_BYTES = 2 ** 40;

const isCount = (bytes: number): boolean =>
  Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= MAX_BYTES;

/**
 * Counts the bytes of circuits for each service, identity and hour. Each byte counts once: where a
 * router gets it from the client or the host. The counters of what routers give to them (`tx`) miss
 * most bytes: seen with version 1.6.20. What is counted in the last second before a crash is lost.
 */
export class Usage {
  /** Circuit and hour -> its bytes that are not stored yet. */
  #waiting = new Map<string, UsageEntry>();
  #writing: Promise<void> | undefined;
  #prunedAt = 0;
  #isStopping = false;

  constructor(private readonly options: UsageOptions) {}

  /** A router reports bytes; it can speak only about clients and hosts at it. */
  report(routerId: string, reports: readonly UsageReport[]): void {
    for (const each of reports) {
      const entry = this.entryOf(routerId, each);
      if (entry) this.add(entry);
    }
    if (this.#waiting.size > 0) this.#writing ??= this.write();
  }

  /** Resolves when everything is stored, or can not be stored. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#writing;
  }

  /** What counts of a report; undefined: nothing. */
  private entryOf(
    routerId: string,
    { circuitId, startedAt, bytes }: UsageReport,
  ): UsageEntry | undefined {
    const circuit = this.options.circuit(circuitId);
    if (!circuit) return undefined;
    const { serviceId, identityId, routerIds } = circuit;
    const { 'ingress.rx': fromClient = 0, 'egress.rx': fromHost = 0 } = bytes;
    const sentBytes = routerIds[0] === routerId ? fromClient : 0;
    const receivedBytes = routerIds.at(-1) === routerId ? fromHost : 0;
    if (!isCount(sentBytes) || !isCount(receivedBytes)) return undefined;
    if (sentBytes + receivedBytes === 0) return undefined;
    const hour = this.hourOf(startedAt);
    return { circuitId, serviceId, identityId, hour, sentBytes, receivedBytes };
  }

  /** The hour of an interval; a router with a wrong clock counts in the present one. */
  private hourOf(startedAt: Date): Date {
    const now = this.options.now().getTime();
    const time = startedAt.getTime();
    const isLikely = Math.abs(now - time) <= HOUR_MILLIS;
    return new Date(Math.floor((isLikely ? time : now) / HOUR_MILLIS) * HOUR_MILLIS);
  }

  private add(entry: UsageEntry): void {
    const key = `${entry.circuitId} ${String(entry.hour.getTime())}`;
    const earlier = this.#waiting.get(key);
    if (!earlier && this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.set(key, {
      ...entry,
      sentBytes: entry.sentBytes + (earlier?.sentBytes ?? 0),
      receivedBytes: entry.receivedBytes + (earlier?.receivedBytes ?? 0),
    });
  }

  private async write(): Promise<void> {
    while (this.#waiting.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
      const entries = [...this.#waiting.entries()].slice(0, MAX_IN_ONE_WRITE);
      for (const [key] of entries) this.#waiting.delete(key);
      try {
        await this.store(entries.map(([, entry]) => entry));
      } catch (error) {
        this.options.onError(error);
      }
    }
    this.#writing = undefined;
  }

  private async store(entries: readonly UsageEntry[]): Promise<void> {
    const { store, keepMillis } = this.options;
    try {
      await usage.add(store, entries);
    } catch (error) {
      if (!this.#isStopping) for (const entry of entries) this.add(entry);
      throw error;
    }
    const now = this.options.now().getTime();
    if (now - this.#prunedAt < HOUR_MILLIS) return;
    await usage.deleteBefore(store, new Date(now - keepMillis));
    this.#prunedAt = now;
  }
}

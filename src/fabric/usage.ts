import type { Queryable } from '../base/sql.js';
import type { Circuit } from './circuit.js';
import { addUsage, deleteUsageBefore, type UsageEntry } from './usage-table.js';

export interface UsageOptions {
  readonly store: Queryable;
  readonly now: () => Date;
  /** A circuit that exists, or has ended a moment ago. */
  readonly circuit: (id: string) => Circuit | undefined;
  /** The time for which the bytes of an hour are kept. */
  readonly keepMillis: number;
  readonly onError: (error: unknown) => void;
}

/** The bytes of a circuit in an interval of about a minute, as a router has counted them. */
export interface UsageReport {
  readonly circuitId: string;
  readonly startedAt: Date;
  /** Bytes that the router got from the client, if it is that of the client. */
  readonly clientBytes: number;
  /** Bytes that the router got from the host, if it is that of the host. */
  readonly hostBytes: number;
}

const HOUR_MILLIS = 3_600_000;
const PAUSE_MILLIS = 1_000;
const MOST_IN_ONE_WRITE = 5_000;
/** Beyond so many entries that can not be stored, new ones are dropped. */
const MOST_WAITING = 100_000;
/** No circuit carries more in a minute: a router that says so is wrong. */
const MOST_BYTES = 2 ** 40;

const isCount = (bytes: number): boolean =>
  Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= MOST_BYTES;

/**
 * Counts the bytes of circuits for each service, identity and hour. Each byte counts once: where it
 * comes from the client or the host. What is counted in the last second before a crash is lost.
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
    for (const { circuitId, startedAt, clientBytes, hostBytes } of reports) {
      const circuit = this.options.circuit(circuitId);
      if (!circuit) continue;
      const { serviceId, identityId, routerIds } = circuit;
      const sentBytes = routerIds[0] === routerId ? clientBytes : 0;
      const receivedBytes = routerIds.at(-1) === routerId ? hostBytes : 0;
      if (!isCount(sentBytes) || !isCount(receivedBytes)) continue;
      if (sentBytes + receivedBytes === 0) continue;
      const hour = this.hourOf(startedAt);
      this.add({ circuitId, serviceId, identityId, hour, sentBytes, receivedBytes });
    }
    if (this.#waiting.size > 0) this.#writing ??= this.write();
  }

  /** Resolves when everything is stored, or can not be stored. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#writing;
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
    if (!earlier && this.#waiting.size >= MOST_WAITING) return;
    this.#waiting.set(key, {
      ...entry,
      sentBytes: entry.sentBytes + (earlier?.sentBytes ?? 0),
      receivedBytes: entry.receivedBytes + (earlier?.receivedBytes ?? 0),
    });
  }

  private async write(): Promise<void> {
    while (this.#waiting.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
      const entries = [...this.#waiting.entries()].slice(0, MOST_IN_ONE_WRITE);
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
      await addUsage(store, entries);
    } catch (error) {
      if (!this.#isStopping) for (const entry of entries) this.add(entry);
      throw error;
    }
    const now = this.options.now().getTime();
    if (now - this.#prunedAt < HOUR_MILLIS) return;
    await deleteUsageBefore(store, new Date(now - keepMillis));
    this.#prunedAt = now;
  }
}

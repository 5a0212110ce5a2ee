import { largeCache } from '../../base/large-cache.js';
import type { Circuit } from './circuit.js';
import type { RouterPort } from './router-port.js';

/** Circuits by id, with the times of their ends, in the order of these. */
type LatestEnds = Map<string, number>;

const MAX_ENDED = 50_000;
const ENDED_MILLIS = 300_000;
/** A router that answers no heartbeats counts as connected for so long, though nothing reaches it. */
const UNNOTICED_MILLIS = 100_000;

/**
 * Circuits that ended, and the orders to drop them. What a router carries goes on while it has no
 * controller, so it hears of all ends that it may have missed when it is connected again.
 */
export class CircuitEnds {
  /** Circuits that ended lately: routers report their last bytes a minute later. */
  readonly #lately = largeCache<Circuit>(MAX_ENDED, ENDED_MILLIS);
  /** Router id -> the ends that may have been sent over a connection that is lost unnoticed. */
  readonly #latest = new Map<string, LatestEnds>();
  /** Router id -> circuits of which it may not know that they have ended. */
  readonly #unheard = new Map<string, Set<string>>();

  constructor(
    private readonly routers: Pick<RouterPort, 'isConnected' | 'unroute'>,
    private readonly now: () => Date,
  ) {}

  /** Notes that a circuit has ended. */
  add(circuit: Circuit): void {
    this.#lately.set(circuit.id, circuit);
    for (const routerId of circuit.routerIds) {
      const latest = this.latestAt(routerId);
      this.#latest.set(routerId, latest.set(circuit.id, this.now().getTime()));
    }
  }

  /** Gives a circuit that ended a few minutes ago. */
  lately(id: string): Circuit | undefined {
    return this.#lately.get(id);
  }

  /** Has routers drop a circuit, or as soon as they are connected; `now` drops what is under way. */
  unroute(routerIds: readonly string[], circuitId: string, now: boolean): void {
    for (const routerId of routerIds) {
      if (this.routers.isConnected(routerId)) this.routers.unroute(routerId, circuitId, now);
      else this.note(routerId, circuitId);
    }
  }

  /** A connection to a router is lost, and with it perhaps what was sent before that was seen. */
  connectionLost(routerId: string): void {
    for (const id of this.latestAt(routerId).keys()) this.note(routerId, id);
  }

  /** Tells a connected router what it may not have heard. */
  tell(routerId: string): void {
    for (const id of this.#unheard.get(routerId) ?? []) this.routers.unroute(routerId, id, true);
    this.#unheard.delete(routerId);
  }

  /** A router was started anew or is deleted: it has no circuits. */
  forget(routerId: string): void {
    this.#unheard.delete(routerId);
    this.#latest.delete(routerId);
  }

  /** The latest ends of circuits over a router, without those that are old by now. */
  private latestAt(routerId: string): LatestEnds {
    const latest = this.#latest.get(routerId) ?? new Map<string, number>();
    const since = this.now().getTime() - UNNOTICED_MILLIS;
    for (const [id, endedAt] of latest) {
      if (endedAt > since) break;
      latest.delete(id);
    }
    return latest;
  }

  private note(routerId: string, circuitId: string): void {
    const ids = this.#unheard.get(routerId) ?? new Set<string>();
    this.#unheard.set(routerId, ids.add(circuitId));
  }
}

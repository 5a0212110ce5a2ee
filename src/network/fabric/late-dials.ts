/** Clients wait about so long for a circuit. */
const PATIENCE_MILLIS = 4_000;
/** A router sends what has waited for a controller at once. */
const FLUSH_MILLIS = 1_000;

/**
 * Finds dials that are too late. A router that was without a controller for a while sends the dials
 * of that time when it is connected again, though their clients have given up. A host that accepts
 * such a circuit waits for its client for minutes, and accepts nothing else meanwhile.
 */
export class LateDials {
  /** Router id -> when it was lost; routers that an earlier owner served have none. */
  readonly #lostAt = new Map<string, number>();
  /** Router id -> when its dials count again. */
  readonly #lateUntil = new Map<string, number>();

  constructor(private readonly now: () => Date) {}

  /** A router is connected; a new one was started anew, and no dial can have waited in it. */
  connected(routerId: string, isNew: boolean): void {
    const now = this.now().getTime();
    const away = now - (this.#lostAt.get(routerId) ?? 0);
    this.#lostAt.delete(routerId);
    if (isNew || away < PATIENCE_MILLIS) this.#lateUntil.delete(routerId);
    else this.#lateUntil.set(routerId, now + FLUSH_MILLIS);
  }

  /** When a router was lost, in milliseconds; undefined while it is connected, or is not known. */
  lostAt(routerId: string): number | undefined {
    return this.#lostAt.get(routerId);
  }

  lost(routerId: string): void {
    this.#lostAt.set(routerId, this.now().getTime());
  }

  deleted(routerId: string): void {
    this.#lostAt.delete(routerId);
    this.#lateUntil.delete(routerId);
  }

  /** Whether a dial that comes now may have waited for too long. */
  isLate(routerId: string): boolean {
    const until = this.#lateUntil.get(routerId);
    if (until === undefined) return false;
    if (this.now().getTime() < until) return true;
    this.#lateUntil.delete(routerId);
    return false;
  }
}

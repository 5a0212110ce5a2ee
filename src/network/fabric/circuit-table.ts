import type { Circuit } from './circuit.js';

/** Circuits by id, and by session. */
export class CircuitTable {
  readonly #circuits = new Map<string, Circuit>();
  readonly #ofSession = new Map<string, Set<string>>();

  get(id: string): Circuit | undefined {
    return this.#circuits.get(id);
  }

  all(): Circuit[] {
    return [...this.#circuits.values()];
  }

  ofSession(sessionId: string): Circuit[] {
    return [...(this.#ofSession.get(sessionId) ?? [])].flatMap((id) => this.get(id) ?? []);
  }

  /** The circuits over a router. */
  over(routerId: string): Circuit[] {
    return this.all().filter(({ routerIds }) => routerIds.includes(routerId));
  }

  /** Adds a circuit, or replaces it by one on another path. */
  put(circuit: Circuit): void {
    this.#circuits.set(circuit.id, circuit);
    const ofSession = this.#ofSession.get(circuit.sessionId) ?? new Set<string>();
    this.#ofSession.set(circuit.sessionId, ofSession.add(circuit.id));
  }

  /** Removes a circuit; false if there is none. */
  delete({ id, sessionId }: Circuit): boolean {
    const ofSession = this.#ofSession.get(sessionId);
    ofSession?.delete(id);
    if (ofSession?.size === 0) this.#ofSession.delete(sessionId);
    return this.#circuits.delete(id);
  }

  clear(): void {
    this.#circuits.clear();
    this.#ofSession.clear();
  }
}

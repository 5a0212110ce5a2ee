import { Bitset } from '../../../kernel/policy/index.js';

/** Pairs of one type by the ordinals of a model, from both ends. */
export class MarkedPairs {
  readonly rows = new Map<number, Bitset>();
  readonly columns = new Map<number, Bitset>();

  add(identity: number, service: number): void {
    addTo(this.rows, identity, service);
    addTo(this.columns, service, identity);
  }

  delete(identity: number, service: number): void {
    this.rows.get(identity)?.clear(service);
    this.columns.get(service)?.clear(identity);
  }
}

function addTo(sets: Map<number, Bitset>, key: number, ordinal: number): void {
  const set = sets.get(key) ?? new Bitset();
  sets.set(key, set);
  set.set(ordinal);
}

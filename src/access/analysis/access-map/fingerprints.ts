import { hash } from 'node:crypto';

/*
 * Keys of nodes are hashes of sets of policies. The hash of a set is the exclusive or of the hashes
 * of its elements: it is built in any order, for all classes at once.
 */

const LANES = 4;

/** 128 bits. */
export type Fingerprint = Uint32Array;

export function fingerprintOf(...parts: readonly string[]): Fingerprint {
  const digest = hash('sha256', JSON.stringify(parts), 'buffer');
  return Uint32Array.from({ length: LANES }, (_, lane) => digest.readUInt32LE(lane * 4));
}

export function sumOf(fingerprints: Iterable<Fingerprint>): Fingerprint {
  const sum = new Uint32Array(LANES);
  for (const one of fingerprints) addTo(sum, 0, one);
  return sum;
}

function addTo(lanes: Uint32Array, start: number, added: Fingerprint): void {
  for (let lane = 0; lane < LANES; lane += 1) {
    lanes[start + lane] = (lanes[start + lane] ?? 0) ^ (added[lane] ?? 0);
  }
}

const textOf = (fingerprint: Fingerprint): string =>
  Array.from(fingerprint, (lane) => lane.toString(16).padStart(8, '0')).join('');

/** The key of a node: 128 bits in base64url. */
export const keyFrom = (...parts: readonly string[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);

/** The fingerprints of many sets of policies. */
export class Fingerprints {
  readonly #lanes: Uint32Array;

  constructor(count: number) {
    this.#lanes = new Uint32Array(count * LANES);
  }

  /** Adds policies to sets that have none of them. */
  add(sets: Int32Array, policies: Fingerprint): void {
    for (let i = 0; i < sets.length; i += 1) addTo(this.#lanes, (sets[i] ?? 0) * LANES, policies);
  }

  at(set: number): Fingerprint {
    return this.#lanes.subarray(set * LANES, (set + 1) * LANES);
  }

  text(set: number): string {
    return textOf(this.at(set));
  }
}

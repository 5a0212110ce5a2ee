import { createHash } from 'node:crypto';
import type { Bitset } from '../../policy/index.js';

/*
 * Keys of nodes are hashes of sets of policies. The hash of a set is the exclusive or of the hashes
 * of its elements: it is built in any order, for all classes at once.
 */

const LANES = 4;

/** 128 bits. */
export type Fingerprint = Uint32Array;

export function fingerprintOf(...parts: readonly string[]): Fingerprint {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return Uint32Array.from({ length: LANES }, (_, lane) => digest.readUInt32LE(lane * 4));
}

export function sumOf(fingerprints: Iterable<Fingerprint>): Fingerprint {
  const sum = new Uint32Array(LANES);
  for (const one of fingerprints) {
    for (let lane = 0; lane < LANES; lane += 1) sum[lane] = (sum[lane] ?? 0) ^ (one[lane] ?? 0);
  }
  return sum;
}

export const textOf = (fingerprint: Fingerprint): string =>
  Array.from(fingerprint, (lane) => lane.toString(16).padStart(8, '0')).join('');

/** The key of a node: 128 bits in base64url. */
export const keyFrom = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);

/** The fingerprint of a set of policies for each class. */
export class Fingerprints {
  readonly #lanes: Uint32Array;

  constructor(classes: number) {
    this.#lanes = new Uint32Array(classes * LANES);
  }

  /** Adds policies to the classes of the ordinals; each class must be there once at most. */
  add(ordinals: Bitset, classOf: Int32Array, policies: Fingerprint): void {
    const lanes = this.#lanes;
    const [first = 0, second = 0, third = 0, fourth = 0] = policies;
    ordinals.forEach((ordinal) => {
      const at = (classOf[ordinal] ?? 0) * LANES;
      lanes[at] = (lanes[at] ?? 0) ^ first;
      lanes[at + 1] = (lanes[at + 1] ?? 0) ^ second;
      lanes[at + 2] = (lanes[at + 2] ?? 0) ^ third;
      lanes[at + 3] = (lanes[at + 3] ?? 0) ^ fourth;
    });
  }

  text(number: number): string {
    return textOf(this.#lanes.subarray(number * LANES, (number + 1) * LANES));
  }
}

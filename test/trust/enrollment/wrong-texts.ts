import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { armoured, derOf } from '../pki/certificates.js';
import { costlyRuns } from '../../support/runs.js';

/* Texts that no enrollment takes. */

export const RUNS = costlyRuns(50);

/** Words of hex that compression does not make shorter than an index entry may be. */
export const disordered = (words: number): string => randomBytes(words * 4).toString('hex');

/** A PEM of which one byte is not what it was. */
export function withWrongByte(label: string, pem: string): fc.Arbitrary<string> {
  const der = derOf(pem);
  return fc
    .tuple(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }))
    .map(([at, by]) => armoured(label, mutated(der, at, by)));
}

function mutated(bytes: Buffer, at: number, by: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ by;
  return copy;
}

import { readFileSync } from 'node:fs';
import { mutateText } from './mutate-text.js';
import type { LeftOut } from './odd-values.js';
import { placeholder } from './placeholders.js';
import type { Random } from './random.js';

interface Samples {
  readonly requests: readonly string[];
  readonly certificates: readonly string[];
  readonly jwts: readonly string[];
}

/** Made once, of keys that nobody has: what is made of them is the same in every run. */
const samples = JSON.parse(
  readFileSync(new URL('credentials.json', import.meta.url), 'utf8'),
) as Samples;

/** A certificate that no authority or signer has yet, mostly. */
export const certificateText = (random: Random): string =>
  random.chance(80)
    ? placeholder('certificate', random.between(0, 200))
    : random.pick(samples.certificates);

export const requestText = (random: Random): string => random.pick(samples.requests);

export const jwtText = (random: Random): string => random.pick(samples.jwts);

/** PEM and JWTs that are damaged inside, as text, or called something else. */
export function damagedCredential(random: Random, leftOut: LeftOut): string {
  if (random.chance(25)) return damagedJwt(random, leftOut);
  const pem = random.pick([...samples.requests, ...samples.certificates]);
  return random.made([
    [5, () => rewritten(pem, (der) => damagedBytes(der, random))],
    [3, () => mutateText(pem, random, leftOut)],
    [
      1,
      () => pem.replaceAll(/CERTIFICATE( REQUEST)?/g, random.pick(['PKCS7', 'X', 'PRIVATE KEY'])),
    ],
    [1, () => pem.repeat(random.pick([2, 5, 30]))],
    [1, () => pem.replaceAll('\n', random.pick(['\r\n', ' ', '']))],
  ]);
}

function damagedJwt(random: Random, leftOut: LeftOut): string {
  const parts = jwtText(random).split('.');
  const at = random.between(0, parts.length - 1);
  const decoded = Buffer.from(parts[at] ?? '', 'base64url').toString('latin1');
  parts[at] = Buffer.from(mutateText(decoded, random, leftOut)).toString('base64url');
  return random.chance(80) ? parts.join('.') : mutateText(parts.join('.'), random, leftOut);
}

function rewritten(pem: string, change: (der: Buffer) => Buffer): string {
  const [, label = '', body = ''] = /-----BEGIN ([^-]*)-----([^-]*)-----END/.exec(pem) ?? [];
  const der = change(Buffer.from(body, 'base64')).toString('base64');
  return `-----BEGIN ${label}-----\n${der}\n-----END ${label}-----\n`;
}

/** Ends, long and indefinite lengths, tags: what parsers of DER look at. */
const TELLING = [0, 1, 2, 3, 5, 6, 0x30, 0x31, 0x7f, 0x80, 0x84, 0xa0, 0xff];

function damagedBytes(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  for (let i = random.between(1, 3); i > 0; i -= 1) {
    changed[random.between(0, changed.length - 1)] = random.pick(TELLING);
  }
  return random.chance(20) ? changed.subarray(0, random.between(0, changed.length)) : changed;
}

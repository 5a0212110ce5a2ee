import { createHmac } from 'node:crypto';

/* One-time codes as an authenticator application makes them, written down from the standards. */

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (c) => BASE32.indexOf(c).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** RFC 6238 with SHA-1, 6 digits and steps of 30 seconds; `drift` counts steps. */
export function oneTimeCode(secret: string, now = new Date(), drift = 0): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now.getTime() / 30_000) + drift));
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  // RFC 4226 5.3: the last four bits say where to read.
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000;
  return String(number).padStart(6, '0');
}

/** The secret in a provisioning URL. */
export const secretIn = (url: string): string => new URL(url).searchParams.get('secret') ?? '';

/** Six digits that are no code of any step near now. */
export function wrongCode(secret: string, now = new Date()): string {
  const near = [-3, -2, -1, 0, 1, 2, 3].map((drift) => oneTimeCode(secret, now, drift));
  return (
    ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'].find(
      (code) => !near.includes(code),
    ) ?? ''
  );
}

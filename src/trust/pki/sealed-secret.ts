import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { ApiError } from '../../base/errors.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The prefix of the layout and the key derivation below; a new form needs a new prefix. */
const VERSION = 'v1.';

/** `v1.` and base64url of nonce, ciphertext and tag: AES-256-GCM under a key derived from `secretKey`. */
export function sealSecret(secretKey: Buffer, plaintext: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, sealingKey(secretKey), nonce);
  const sealed = Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final()]);
  return VERSION + Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url');
}

/** Opens a text from `sealSecret`; 500 without detail for an altered text or another key. */
export function openSecret(secretKey: Buffer, sealed: string): string {
  try {
    if (!sealed.startsWith(VERSION)) throw new Error('unknown form of a sealed secret');
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
    const decipher = createDecipheriv(
      CIPHER,
      sealingKey(secretKey),
      bytes.subarray(0, NONCE_BYTES),
      { authTagLength: TAG_BYTES },
    );
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const plaintext = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([plaintext, decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new ApiError('UNHANDLED', undefined, { cause });
  }
}

/** Gives a hex text that differs between secret keys and tells nothing about them. */
export const keyCheckOf = (secretKey: Buffer): string =>
  createHmac('sha256', secretKey).update('overgraph key check v1').digest('hex');

/** The check value is stored in the database, so the sealing key is derived in another way. */
const sealingKey = (secretKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'overgraph sealed secret v1', 32));

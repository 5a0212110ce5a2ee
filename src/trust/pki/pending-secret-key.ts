import { randomBytes } from 'node:crypto';
import { keyDirectoryAt, openKeyDirectory, type KeyDirectory } from './key-directory.js';
import { keyCheckOf, openSecret, sealSecret } from './sealed-secret.js';
import type { SecretFileRule } from './secret-file.js';
import { decodeSecretKey, SECRET_BYTES, SECRET_FILE } from './secret-key.js';

/*
 * A new secret key is stored beside the old one until the database has been resealed. The record of
 * the network decides which of the two is right, so that a crash at any moment loses nothing.
 */

const PENDING_FILE = 'secret.key.next';

export interface PendingSecretKey {
  /** The check values of the old and the new key. */
  readonly keyChecks: readonly [before: string, after: string];
  readonly reseal: (sealed: string) => string;
}

/** Creates a new key to replace this one. */
export async function preparePendingSecretKey(
  directory: string,
  current: Buffer,
  rule: SecretFileRule,
): Promise<PendingSecretKey> {
  const keys = await openKeyDirectory(directory, rule);
  const next = randomBytes(SECRET_BYTES);
  await keys.write(PENDING_FILE, next);
  return {
    keyChecks: [keyCheckOf(current), keyCheckOf(next)],
    reseal: (sealed) => sealSecret(next, openSecret(current, sealed)),
  };
}

/**
 * Ends an interrupted change of the secret key: the new key replaces the old one if the database was
 * resealed, and is deleted if not. Both stay when neither belongs to the network.
 */
export async function settlePendingSecretKey(
  directory: string,
  keyCheck: string | undefined,
  rule: SecretFileRule,
): Promise<void> {
  const keys = keyDirectoryAt(directory, rule);
  const pending = await readKey(keys, PENDING_FILE);
  if (!pending || keyCheck === undefined) return;
  if (keyCheckOf(pending) === keyCheck) await keys.write(SECRET_FILE, pending);
  const current = await readKey(keys, SECRET_FILE);
  if (current && keyCheckOf(current) === keyCheck) await keys.remove(PENDING_FILE);
}

async function readKey(keys: KeyDirectory, name: string): Promise<Buffer | undefined> {
  const content = await keys.read(name);
  return content && decodeSecretKey(content);
}

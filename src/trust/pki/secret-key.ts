import { randomBytes } from 'node:crypto';
import { StartError } from '../../base/start-error.js';
import type { KeyDirectory } from './key-directory.js';
import { readSecretFile, type SecretFileRule } from './secret-file.js';

export const SECRET_FILE = 'secret.key';
export const SECRET_BYTES = 32;
/** Padding is required, so that the path of a missing file is not read as a key. */
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/_-]{43}=$/;

/**
 * Gives the secret key: the configured one (path of a file, or base64), else the one of the directory,
 * created on first use. With `isFirstUse` false, other key files exist: then a missing file was lost,
 * and a new one would silently make every stored secret unreadable.
 */
export async function loadSecretKey(
  directory: KeyDirectory,
  configured: string | undefined,
  rule: SecretFileRule,
  isFirstUse: () => Promise<boolean>,
): Promise<Buffer> {
  if (configured) return configuredKey(configured, rule);
  const stored = await directory.read(SECRET_FILE);
  if (stored) {
    const key = decodeSecretKey(stored);
    if (key) return key;
    throw new StartError(`${directory.pathOf(SECRET_FILE)} is not a secret key`, RESTORE);
  }
  if (!(await isFirstUse())) {
    throw new StartError(`${directory.pathOf(SECRET_FILE)} is missing`, RESTORE);
  }
  const fresh = randomBytes(SECRET_BYTES);
  await directory.write(SECRET_FILE, fresh);
  return fresh;
}

const RESTORE = 'restore it from a backup, or set OVERGRAPH_SECRET_KEY';

/** The setting may be the secret itself, so no error repeats it. */
async function configuredKey(setting: string, rule: SecretFileRule): Promise<Buffer> {
  const content = await readSecretFile(setting, rule).catch((error: unknown) => {
    if (error instanceof StartError) throw error;
    return undefined;
  });
  const key = content ? decodeSecretKey(content) : decodeBase64(setting);
  if (key) return key;
  throw new StartError(
    'OVERGRAPH_SECRET_KEY is neither 32 bytes in base64 nor a readable file that holds them',
    'make a key with "openssl rand -base64 32"',
  );
}

export const decodeSecretKey = (content: Buffer): Buffer | undefined =>
  content.length === SECRET_BYTES ? content : decodeBase64(content.toString('latin1'));

function decodeBase64(text: string): Buffer | undefined {
  const base64 = text.trim();
  return BASE64_OF_32_BYTES.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}

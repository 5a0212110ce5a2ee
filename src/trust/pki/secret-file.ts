import { open, type FileHandle } from 'node:fs/promises';
import { StartError } from '../../base/start-error.js';

/** The modes to read or write for group or others. Executing a key file is harmless. */
const OPEN_TO_OTHERS = 0o066;

/** Whether others may read files with secrets, as with mounted secrets of containers. */
export interface SecretFileRule {
  readonly allowOpen: boolean;
}

/**
 * Reads a file with a secret. Other readers would have the secret, and other writers could replace it:
 * such a file is a `StartError`. It follows links, because mounts use them.
 */
export async function readSecretFile(path: string, rule: SecretFileRule): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    await refuseOpen(file, path, rule);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Windows does not use modes, and Node reports every file there as open. */
async function refuseOpen(
  file: FileHandle,
  path: string,
  { allowOpen }: SecretFileRule,
): Promise<void> {
  if (allowOpen || process.platform === 'win32') return;
  const { mode } = await file.stat();
  if ((mode & OPEN_TO_OTHERS) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  throw new StartError(
    `${path} holds a secret, but not for its owner alone (mode ${octal})`,
    `run "chmod 600 ${path}", or set OVERGRAPH_ALLOW_OPEN_KEY_FILES=true where that is meant`,
  );
}

import { open, type FileHandle } from 'node:fs/promises';
import { StartError } from '../base/start-error.js';

/** Reading or writing by group or others. Running a key harms nobody. */
const OPEN_TO_OTHERS = 0o066;

/** Whether files with secrets may be readable by others, as mounted secrets of containers are. */
export interface SecretFileRule {
  readonly allowOpen: boolean;
}

/**
 * Bytes of a file with a secret. Whoever else can read it has the secret, and who can write it can
 * put another in its place: such a file is a `StartError`. Links are followed, as mounts have them.
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

/** Windows has other means than modes, and Node shows every file there as open. */
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

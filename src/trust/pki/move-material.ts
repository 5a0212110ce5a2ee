import { StartError } from '../../base/start-error.js';
import {
  FIRST_RECORD,
  filesOf,
  isAuthorityFile,
  parseAuthorityRecord,
  readAuthorityRecord,
  RECORD_FILE,
  removeUnnamed,
} from './authority-record.js';
import type { KeyDirectory } from './key-directory.js';
import { SERVER_HISTORY_FILE } from './server-history.js';

/** File name -> content. */
export type MaterialFiles = ReadonlyMap<string, Buffer>;

/** Files of one controller and its addresses: existing ones stay. */
const OWN_FILES: readonly string[] = ['server.pem', SERVER_HISTORY_FILE];
const SHARED_FILES: readonly string[] = ['server.key', 'secret.key'];

export const isMaterialFile = (name: string): boolean =>
  isAuthorityFile(name) || [...OWN_FILES, ...SHARED_FILES, RECORD_FILE].includes(name);

/** Gives all files that another controller of the network needs; empty without generated ones. */
export async function exportMaterial(directory: KeyDirectory): Promise<MaterialFiles> {
  for (;;) {
    const text = await directory.read(RECORD_FILE);
    const record = await readAuthorityRecord(directory);
    const files = new Map<string, Buffer>();
    for (const name of [...filesOf(record), ...SHARED_FILES, ...OWN_FILES]) {
      const content = await directory.read(name);
      if (content) files.set(name, content);
    }
    if (text) files.set(RECORD_FILE, text);
    // A rollover step meanwhile may have deleted a named file: read again.
    const after = await directory.read(RECORD_FILE);
    if (text === after || (text && after?.equals(text))) return files;
  }
}

/**
 * Writes exported material into a directory: an empty one, or one of the same network before its
 * latest rollover. The record is written last, so that an import takes effect as a whole or not at all.
 */
export async function importMaterial(directory: KeyDirectory, files: MaterialFiles): Promise<void> {
  const text = files.get(RECORD_FILE);
  const record = text ? parseAuthorityRecord(text) : FIRST_RECORD;
  if (!record) {
    throw new StartError(`${RECORD_FILE} in the exported material is damaged`, 'export it again');
  }
  const present = await readAuthorityRecord(directory);
  if (record.generation < present.generation) {
    throw new StartError(
      `${directory.pathOf('')} has seen a later rollover than the exported material`,
      'export it from a controller that has seen it too',
    );
  }
  await refuseOthers(directory, files, record.generation > present.generation);
  for (const [name, content] of files) {
    const isKept = OWN_FILES.includes(name) && (await directory.read(name)) !== undefined;
    if (name !== RECORD_FILE && !isKept) await directory.write(name, content);
  }
  if (text) await directory.write(RECORD_FILE, text);
  await removeUnnamed(directory, record);
}

/** Refuses to replace a file by a different one, and to drop one that no rollover has ended. */
async function refuseOthers(
  directory: KeyDirectory,
  files: MaterialFiles,
  isLater: boolean,
): Promise<void> {
  const shared = (await directory.list()).filter(
    (name) => isMaterialFile(name) && !OWN_FILES.includes(name),
  );
  for (const name of shared) {
    const given = files.get(name);
    const isEnded = name === RECORD_FILE || (isAuthorityFile(name) && !given);
    if ((isLater && isEnded) || given?.equals((await directory.read(name)) ?? given)) continue;
    throw new StartError(
      `${directory.pathOf(name)} is of other key material`,
      'move that folder away first',
    );
  }
}

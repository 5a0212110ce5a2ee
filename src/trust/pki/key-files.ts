import { keyDirectoryAt, openKeyDirectory } from './key-directory.js';
import { exportMaterial, importMaterial, isMaterialFile } from './move-material.js';
import type { SecretFileRule } from './secret-file.js';

/** Reads the generated key material of a directory, by file name; a missing directory is empty. */
export async function readKeyFiles(
  directory: string,
  rule: SecretFileRule,
): Promise<Record<string, Buffer>> {
  return Object.fromEntries(await exportMaterial(keyDirectoryAt(directory, rule)));
}

/** Writes key material into a directory without any, all of it or nothing. */
export async function writeKeyFiles(
  directory: string,
  files: Readonly<Record<string, Buffer>>,
  rule: SecretFileRule,
): Promise<void> {
  const material = Object.entries(files).filter(([name]) => isMaterialFile(name));
  await importMaterial(await openKeyDirectory(directory, rule), new Map(material));
}

/** Gives the names of all files of a directory, also unknown ones. */
export const namesIn = (directory: string): Promise<readonly string[]> =>
  keyDirectoryAt(directory).list();

/** Deletes the files that a directory got since it had only these. */
export async function removeAllBut(directory: string, kept: readonly string[]): Promise<void> {
  const keys = keyDirectoryAt(directory);
  for (const name of await keys.list()) if (!kept.includes(name)) await keys.remove(name);
}

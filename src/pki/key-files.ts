import { keyDirectoryAt, openKeyDirectory } from './key-directory.js';
import { exportMaterial, importMaterial, isMaterialFile } from './move-material.js';
import type { SecretFileRule } from './secret-file.js';

/** The generated key material of a directory, by file name; looks only, a missing directory is empty. */
export async function readKeyFiles(
  directory: string,
  rule: SecretFileRule,
): Promise<Record<string, Buffer>> {
  return Object.fromEntries(await exportMaterial(keyDirectoryAt(directory, rule)));
}

/** Puts key material into a directory that has none, as a whole or not at all. */
export async function writeKeyFiles(
  directory: string,
  files: Readonly<Record<string, Buffer>>,
  rule: SecretFileRule,
): Promise<void> {
  const material = Object.entries(files).filter(([name]) => isMaterialFile(name));
  await importMaterial(await openKeyDirectory(directory, rule), new Map(material));
}

/** Names of all files of a directory, of whatever kind. */
export const namesIn = (directory: string): Promise<readonly string[]> =>
  keyDirectoryAt(directory).list();

/** Takes away what has come into a directory since it had only these files. */
export async function removeAllBut(directory: string, kept: readonly string[]): Promise<void> {
  const keys = keyDirectoryAt(directory);
  for (const name of await keys.list()) if (!kept.includes(name)) await keys.remove(name);
}

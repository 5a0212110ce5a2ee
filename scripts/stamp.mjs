/** Decides by the content of its inputs whether a step must run again. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './run.mjs';

/**
 * Gives a digest of files and folders, relative to the checkout; a missing one counts as empty.
 * Folders in `without` are left out.
 */
export function digest(paths, without = new Set()) {
  const hash = createHash('sha256');
  for (const path of paths) add(hash, path, without);
  return hash.digest('hex');
}

function add(hash, path, without) {
  if (without.has(path)) return;
  const full = join(root, path);
  const entry = statSync(full, { throwIfNoEntry: false });
  if (entry?.isFile()) hash.update(`${path}\0${entry.size}\0`).update(readFileSync(full));
  if (entry?.isDirectory())
    for (const name of readdirSync(full).sort()) add(hash, join(path, name), without);
}

export function readStamp(path) {
  try {
    return readFileSync(join(root, path), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** A read-only checkout works without a stamp, as long as nothing changes. */
export function writeStamp(path, value) {
  try {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${value}\n`);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  }
}

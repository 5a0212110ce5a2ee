import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A built single-page application, and the path at which it is served. */
export interface SpaFolder {
  /** Like `/zac`, without a slash at the end. */
  readonly path: string;
  /** Absolute; holds `index.html`. */
  readonly folder: string;
}

/** Segments that need no encoding, and that begin with no dot. */
const PATH = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

/** Reads `path=folder`, several separated by commas; gives the fault as a text. */
export function readSpaFolders(text: string): readonly SpaFolder[] | string {
  const spas: SpaFolder[] = [];
  for (const entry of text.split(',').map((each) => each.trim())) {
    const spa = readEntry(entry);
    if (typeof spa === 'string') return spa;
    const nested = spas.find(({ path }) => isBelow(path, spa.path) || isBelow(spa.path, path));
    if (nested) return `has both "${nested.path}" and "${spa.path}"`;
    spas.push(spa);
  }
  return spas;
}

function readEntry(entry: string): SpaFolder | string {
  const [, given = '', named = ''] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
  if (given === '') return `"${entry}" is not path=folder`;
  const path = given.replace(/\/$/, '');
  if (!PATH.test(path)) return `"${given}" is not a path like /zac`;
  const folder = resolve(named);
  if (!isThere(folder, 'isDirectory')) return `names "${named}", which is no folder`;
  if (!isThere(join(folder, 'index.html'), 'isFile')) {
    return `names "${named}", which has no index.html`;
  }
  return { path, folder };
}

const isThere = (path: string, kind: 'isDirectory' | 'isFile'): boolean =>
  statSync(path, { throwIfNoEntry: false })?.[kind]() ?? false;

const isBelow = (path: string, base: string): boolean =>
  path === base || path.startsWith(`${base}/`);

/** Reads the packages of a lock file, their requirements, and those of the running controller. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * `requires` has the paths of the product's own requirements and of those of its workspaces, whose
 * packages are part of their built files. A package for another platform has an entry, too, although
 * it is not installed. `production` packages are passed on with the product; of these, `runs` tells
 * those that the controller loads when it runs.
 */
export function readLock(folder) {
  const entries = readJson(join(folder, 'package-lock.json')).packages;
  const workspaces = workspacesOf(entries);
  const direct = [...new Set(['', ...workspaces].flatMap((path) => requiredBy(entries, path)))];
  const production = reachable(entries, direct);
  const running = reachable(entries, requiredBy(entries, ''));
  const packages = Object.entries(entries)
    .filter(([path, { link }]) => path !== '' && !link && !workspaces.includes(path))
    .map(([path, entry]) => ({
      path,
      name: entry.name ?? path.split('node_modules/').at(-1),
      version: entry.version,
      licence: entry.license,
      integrity: entry.integrity,
      optional: entry.optional === true,
      production: production.has(path),
      runs: running.has(path),
      requires: requiredBy(entries, path),
    }));
  return { packages, requires: direct };
}

/** Gives the folders of the product's workspaces. */
export const workspacesOf = (entries) => entries[''].workspaces ?? [];

/**
 * npm marks entries as `dev` and `devOptional`. The marks do not tell which of the latter stay without
 * the development dependencies, so the requirements are followed.
 */
function reachable(entries, from) {
  const reached = new Set();
  const pending = [...from];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    pending.push(...requiredBy(entries, path));
  }
  return reached;
}

/** Gives the paths of an entry's requirements; '' is the product without its development tools. */
function requiredBy(entries, path) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
    entries[path];
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );
  const names = [
    ...Object.keys(dependencies ?? {}),
    ...Object.keys(optionalDependencies ?? {}),
    ...peers,
  ];
  const paths = names.map((name) => resolve(entries, path, name));
  return [...new Set(paths)].filter((each) => each !== undefined);
}

/** Finds a package as Node does: in the nearest node_modules folder upwards. */
function resolve(entries, from, name) {
  for (let base = from; ; base = base.slice(0, Math.max(base.lastIndexOf('/node_modules/'), 0))) {
    const path = `${base}${base === '' ? '' : '/'}node_modules/${name}`;
    if (entries[path]) return path;
    if (base === '') return undefined;
  }
}

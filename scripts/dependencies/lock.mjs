/** The packages of a lock file, what each requires, and which the running controller requires. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** `requires` holds the paths of what the product itself requires. A package for another platform
 * has an entry too, though it is not installed. */
export function readLock(folder) {
  const entries = readJson(join(folder, 'package-lock.json')).packages;
  const production = reachable(entries);
  const packages = Object.entries(entries)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      path,
      name: entry.name ?? path.split('node_modules/').at(-1),
      version: entry.version,
      licence: entry.license,
      integrity: entry.integrity,
      optional: entry.optional === true,
      production: production.has(path),
      requires: requiredBy(entries, path),
    }));
  return { packages, requires: requiredBy(entries, '') };
}

/**
 * npm marks entries as `dev` and `devOptional`. The marks do not say which of the latter are left
 * once the development dependencies are taken away, so the requirements are followed.
 */
function reachable(entries) {
  const reached = new Set();
  const pending = requiredBy(entries, '');
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    pending.push(...requiredBy(entries, path));
  }
  return reached;
}

/** The paths of what an entry requires; '' is the product itself, without what it is developed with. */
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

/** As Node finds it: in the nearest node_modules folder, going upwards. */
function resolve(entries, from, name) {
  for (let base = from; ; base = base.slice(0, Math.max(base.lastIndexOf('/node_modules/'), 0))) {
    const path = `${base}${base === '' ? '' : '/'}node_modules/${name}`;
    if (entries[path]) return path;
    if (base === '') return undefined;
  }
}

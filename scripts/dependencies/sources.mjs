/**
 * Fails when an installation could add anything but a pinned package of the registry with a known
 * checksum.
 */
import { join } from 'node:path';
import { readJson, workspacesOf } from './lock.mjs';
import { folder, report } from './step.mjs';

const EXACT = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;
const SHA512 = /^sha512-[\w+/]{86}==$/;

const entries = readJson(join(folder, 'package-lock.json')).packages;
const workspaces = workspacesOf(entries);
const { '': product, ...packages } = entries;
const manifests = ['', ...workspaces].map((path) => join(path, 'package.json'));
const wanted = [product, ...Object.values(packages)].flatMap((entry) =>
  Object.entries({
    ...entry.devDependencies,
    ...entry.dependencies,
    ...entry.optionalDependencies,
  }),
);

report([
  ...Object.entries(packages)
    .filter(([path, entry]) => !isWorkspace(path, entry))
    .flatMap(([path, entry]) =>
      faultsOfEntry(path, entry).map((fault) => `package-lock.json: ${path} ${fault}`),
    ),
  ...manifests.flatMap((path) =>
    [...pins(readJson(join(folder, path)))]
      .filter(([, version]) => !EXACT.test(version))
      .map(([name, version]) => `${path}: ${name} is not pinned to a version: ${version}`),
  ),
]);

/** A workspace is a folder of the product, and the link by which npm finds it. */
function isWorkspace(path, { link, resolved }) {
  return workspaces.includes(link ? resolved : path);
}

function faultsOfEntry(path, { name, integrity, resolved, link }) {
  const faults = [];
  if (!SHA512.test(integrity)) faults.push('has no SHA-512 checksum');
  // .npmrc removes the addresses of the registry, so an address here is another one.
  if (resolved !== undefined || link) faults.push(`comes from elsewhere: ${resolved}`);
  if (name !== undefined && !isAlias(path.split('node_modules/').at(-1), name)) {
    faults.push(`is ${name}, which no package asks for under this name`);
  }
  return faults;
}

function isAlias(alias, name) {
  return wanted.some(([key, range]) => key === alias && range.startsWith(`npm:${name}@`));
}

/** Overrides may be nested. */
function* pins({ dependencies, devDependencies, optionalDependencies, overrides }) {
  for (const each of [dependencies, devDependencies, optionalDependencies, overrides]) {
    yield* leaves(each ?? {});
  }
}

function* leaves(tree) {
  for (const [name, value] of Object.entries(tree)) {
    if (typeof value === 'string') yield [name, value];
    else yield* leaves(value);
  }
}

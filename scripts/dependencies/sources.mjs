/**
 * Fails when an installation could add anything but a pinned package of the registry with a known
 * checksum.
 */
import { join } from 'node:path';
import { readJson } from './lock.mjs';
import { folder, report } from './step.mjs';

const EXACT = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;
const SHA512 = /^sha512-[\w+/]{86}==$/;

const { '': product, ...packages } = readJson(join(folder, 'package-lock.json')).packages;
const manifest = readJson(join(folder, 'package.json'));
const wanted = [product, ...Object.values(packages)].flatMap((entry) =>
  Object.entries({
    ...entry.devDependencies,
    ...entry.dependencies,
    ...entry.optionalDependencies,
  }),
);

report([
  ...Object.entries(packages).flatMap(([path, entry]) =>
    faultsOfEntry(path, entry).map((fault) => `package-lock.json: ${path} ${fault}`),
  ),
  ...[...pins(manifest)]
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `package.json: ${name} is not pinned to a version: ${version}`),
]);

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

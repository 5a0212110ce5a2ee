/**
 * Removes the installed packages that the running controller does not require. npm's own pruning
 * keeps those that a required package names as an optional peer, with all their requirements. The
 * packages of a workspace are part of its built files.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readLock } from './lock.mjs';
import { folder } from './step.mjs';

const remove = (path) => rmSync(join(folder, path), { recursive: true, force: true });

for (const { path, runs } of readLock(folder).packages) if (!runs) remove(path);

const programs = join(folder, 'node_modules/.bin');
for (const name of existsSync(programs) ? readdirSync(programs) : []) {
  // False for a link to a missing package.
  if (!existsSync(join(programs, name))) remove(`node_modules/.bin/${name}`);
}

// npm's list of installed packages: without it, the next preparation installs the missing ones.
remove('node_modules/.package-lock.json');

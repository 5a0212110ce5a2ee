/**
 * `node scripts/bundle.mjs`: joins the compiled modules and the packages that they use into the few
 * files of `dist/program`. More than two thousand modules take a process a second to load, and each
 * costs memory in every process; of the packages, most is never used.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './run.mjs';

const output = join(root, 'dist/program');

const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  input: {
    main: 'dist/src/programs/main.js',
    'worker-main': 'dist/src/programs/worker-main.js',
    'orphan-watch-process': 'dist/src/data/store/embedded/orphan-watch-process.js',
    overgraph: 'dist/src/programs/cli/overgraph.js',
  },
  external: [
    // Loads a library for this platform from beside itself.
    /^@node-rs\/argon2/,
    // A module that other modules in the process can get, too: the benchmark counts its statements.
    'pg',
  ],
  onLog(level, log, report) {
    // A package that can do without another one, which is not installed, asks for it only where it is used.
    if (log.code !== 'UNRESOLVED_IMPORT') report(level, log);
  },
});
rmSync(output, { recursive: true, force: true });
await bundle.write({
  dir: output,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'parts/[name]-[hash].js',
  // The stack of an error names functions and lines of these files.
  keepNames: true,
  comments: false,
  // V8 keeps a text with any other character in twice the memory.
  charset: 'ascii',
});

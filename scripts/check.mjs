/** `npm run check`: format, lint, types, architecture, and whether the emitted
 * schemas are fresh and break nobody. */
import { prepare } from './prepare.mjs';
import { capture, program, root } from './run.mjs';

await prepare();

const STEPS = [
  ['format', program('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'],
  ['lint', program('eslint/bin/eslint.js'), '--max-warnings', '0', '.'],
  ['types', program('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.json'],
  [
    'architecture',
    program('dependency-cruiser/bin/dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
    'src',
    'rest-compat',
  ],
  ['emitted schema', `${root}scripts/emit.mjs`, '--check'],
  ['released schema', `${root}scripts/emit.mjs`, '--breaking'],
];

for (const [name, ...args] of STEPS) {
  const begin = Date.now();
  const { code, output } = await capture(process.execPath, args);
  const took = ((Date.now() - begin) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok    ' : 'failed'} ${name} (${took} s)`);
  if (code === 0) continue;
  process.stdout.write(output);
  process.exitCode = 1;
}

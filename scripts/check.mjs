/** `npm run check [-- <step> ...]`: checks format, lint, types, architecture, dependencies, whether
 * the emitted schemas are fresh, the migrations make the declared tables, and clients do not break;
 * runs all steps, or the named ones. */
import { SKIPPED } from './dependencies/step.mjs';
import { prepare } from './prepare.mjs';
import { PRISMA, PRISMA_SETTINGS } from './prisma.mjs';
import { capture, program, root, say } from './run.mjs';

await prepare({ console: true });

const STEPS = [
  ['format', program('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'],
  ['lint', program('eslint/bin/eslint.js'), '--max-warnings', '0', '.'],
  ['types', program('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.json'],
  // The preparation above fails when an operation of the console does not fit the schema.
  ['types', program('typescript/bin/tsc'), '-p', 'console/tsconfig.json'],
  [
    'architecture',
    program('dependency-cruiser/bin/dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
    'src',
    'rest-compat',
    'console/src',
  ],
  ['unused', program('knip/bin/knip.js'), '--no-progress'],
  ['sources', `${root}scripts/dependencies/sources.mjs`],
  ['licences', `${root}scripts/dependencies/licences.mjs`],
  ['advisories', `${root}scripts/dependencies/advisories.mjs`],
  ['emitted schema', `${root}scripts/emit.mjs`, '--check'],
  ['Prisma schema', PRISMA, 'validate'],
  ['migrations', `${root}scripts/migration.mjs`, '--check'],
  ['released schema', `${root}scripts/emit.mjs`, '--breaking'],
];

const RESULTS = { 0: 'ok', [SKIPPED]: 'skipped' };

const names = process.argv.slice(2);
const unknown = names.filter((name) => !STEPS.some(([each]) => each === name));
if (unknown.length > 0) {
  say(
    `there is no step ${unknown.join(', ')}; there are ${STEPS.map(([name]) => name).join(', ')}`,
  );
  process.exit(2);
}

for (const [name, ...args] of STEPS) {
  if (names.length > 0 && !names.includes(name)) continue;
  const begin = Date.now();
  const { code, output } = await capture(process.execPath, args, PRISMA_SETTINGS);
  const seconds = ((Date.now() - begin) / 1000).toFixed(1);
  console.log(`${(RESULTS[code] ?? 'failed').padEnd(7)} ${name} (${seconds} s)`);
  if (code === 0) continue;
  process.stdout.write(output);
  if (code !== SKIPPED) process.exitCode = 1;
}

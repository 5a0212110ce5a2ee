/**
 * `npm test [-- --long] [-- <arguments of jest>]`: prepares the checkout and runs the tests;
 * `--long` adds the long ones. OVERGRAPH_TEST_RESULT names a file for jest's result as JSON.
 */
import { spawn } from 'node:child_process';
import { prepare } from './prepare.mjs';
import { program, root } from './run.mjs';

await prepare({ console: true });

const given = process.argv.slice(2);
const args = given.filter((arg) => arg !== '--long');
const env = {
  // The same option as for the controller itself.
  NODE_ENV: 'production',
  ...process.env,
};
if (given.includes('--long')) env.OVERGRAPH_TEST_LONG = '1';
if (!args.some((arg) => /^--(reporters|verbose)\b/.test(arg))) {
  args.push(`--reporters=${root}scripts/reporter.mjs`);
}
const resultFile = process.env.OVERGRAPH_TEST_RESULT;
if (resultFile) args.push('--json', `--outputFile=${resultFile}`);

const jest = spawn(process.execPath, [program('jest/bin/jest.js'), ...args], {
  cwd: root,
  env,
  stdio: 'inherit',
});
// An interrupt at the terminal also reaches jest, which then stops its database.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest.kill(signal));
jest.once('exit', (code) => {
  process.exitCode = code ?? 1;
});

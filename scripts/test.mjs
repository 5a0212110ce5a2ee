/**
 * `npm test [-- --long | --changed[=REVISION]] [-- <arguments of jest>]`: prepares the checkout and runs the
 * tests; `--long` adds the long ones, and those that run alone; `--changed` runs those that a change
 * touches, in about two minutes. OVERGRAPH_TEST_RESULT names a file for jest's result as JSON.
 */
import { spawn } from 'node:child_process';
import { prepare } from './prepare.mjs';
import { program, root } from './run.mjs';

await prepare({ console: true });

const given = process.argv.slice(2);
const isLong = given.includes('--long');
const changedOption = given.find((arg) => /^--changed(=|$)/.test(arg));
const args = given.filter((arg) => arg !== '--long' && arg !== changedOption);
if (!args.some((arg) => /^--(reporters|verbose)\b/.test(arg))) {
  args.push(`--reporters=${root}scripts/reporter.mjs`);
}
// Of a long run each part may be without the tests that the arguments name.
if (isLong) args.push('--passWithNoTests');
const chosenTests = changedOption === undefined ? undefined : await chooseTests(changedOption);
if (chosenTests) args.push('--runTestsByPath', ...chosenTests);
const resultFile = process.env.OVERGRAPH_TEST_RESULT;
const result = resultFile ? ['--json', `--outputFile=${resultFile}`] : [];
let isInterrupted = false;

if (chosenTests?.length !== 0) await runTests();

async function runTests() {
  process.exitCode = await runJest([...args, ...result], {
    OVERGRAPH_TEST_LONG: isLong ? '1' : '',
  });
  if (!isLong || isInterrupted) return;
  const code = await runJest(args, { OVERGRAPH_TEST_LONG: '1', OVERGRAPH_TEST_ALONE: '1' });
  process.exitCode ||= code;
}

/** `--changed=REVISION` */
async function chooseTests(option) {
  // It needs packages, which a new checkout has only by now.
  const { changedTests } = await import('./changed-tests.mjs');
  return changedTests(option.split('=')[1]);
}

/** Gives the exit code. */
function runJest(jestArgs, settings) {
  const jest = spawn(process.execPath, [program('jest/bin/jest.js'), ...jestArgs], {
    cwd: root,
    // The same option as for the controller itself.
    env: { NODE_ENV: 'production', ...process.env, ...settings },
    stdio: 'inherit',
  });
  const signals = ['SIGINT', 'SIGTERM'];
  // An interrupt at the terminal also reaches jest, which then stops its database.
  const interrupt = (signal) => {
    isInterrupted = true;
    jest.kill(signal);
  };
  for (const signal of signals) process.on(signal, interrupt);
  return new Promise((resolve) => {
    jest.once('exit', (code) => {
      for (const signal of signals) process.off(signal, interrupt);
      resolve(code ?? 1);
    });
  });
}

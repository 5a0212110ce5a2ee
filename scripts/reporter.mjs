/** Prints the result of jest in few lines: failures, slow files, and the counts. */
import { relative, sep } from 'node:path';
import { writeDurations } from './test-durations.mjs';

const SLOW_MS = 5000;

export default class Reporter {
  /** Seconds by the path of the test file. */
  #durations = {};

  onTestResult(_test, result) {
    const path = relative(process.cwd(), result.testFilePath);
    const took = result.perfStats.end - result.perfStats.start;
    // A run of some tests of a file tells nothing of the others.
    if (result.numPendingTests === 0) this.#durations[path.split(sep).join('/')] = took / 1000;
    if (result.failureMessage) this.#print(`FAIL ${path}\n${result.failureMessage}`);
    else if (took > SLOW_MS) this.#print(`slow ${path} ${seconds(took)}`);
  }

  onRunComplete(_contexts, results) {
    const counts = [
      `${results.numPassedTests} passed`,
      `${results.numFailedTests} failed`,
      ...(results.numPendingTests > 0 ? [`${results.numPendingTests} skipped`] : []),
      ...(results.numRuntimeErrorTestSuites > 0
        ? [`${results.numRuntimeErrorTestSuites} files could not run`]
        : []),
    ];
    writeDurations(this.#durations);
    const took = Date.now() - results.startTime;
    this.#print(
      `tests: ${counts.join(', ')} (${results.numTotalTestSuites} files, ${seconds(took)})`,
    );
  }

  #print(text) {
    process.stdout.write(`${text}\n`);
  }
}

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;

/** Prints the result of jest in few lines: failures, slow files, and the counts. */
import { relative } from 'node:path';

const SLOW_MS = 5000;

export default class Reporter {
  onTestResult(_test, result) {
    const path = relative(process.cwd(), result.testFilePath);
    const took = result.perfStats.end - result.perfStats.start;
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

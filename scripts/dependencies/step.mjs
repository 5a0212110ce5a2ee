/** How a step of `npm run check` ends, and the folder that it looks at. */

/** EX_TEMPFAIL of sysexits.h: the step could not be done now. */
export const SKIPPED = 75;

/** The folder that was given, else the checkout, in which the steps of the check run. */
export const folder = process.argv[2] ?? process.cwd();

/** Ends the step: it fails when there is a fault. */
export function report(faults) {
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

export function skip(reason) {
  console.log(reason);
  process.exitCode = SKIPPED;
}

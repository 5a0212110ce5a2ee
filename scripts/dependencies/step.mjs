/** The end of a step of `npm run check`, and the folder that it checks. */

/** EX_TEMPFAIL of sysexits.h: the step can not run now. */
export const SKIPPED = 75;

/** The given folder, else the checkout, in which the steps of the check run. */
export const folder = process.argv[2] ?? process.cwd();

/** Ends the step: it fails with any fault. */
export function report(faults) {
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

export function skip(reason) {
  console.log(reason);
  process.exitCode = SKIPPED;
}

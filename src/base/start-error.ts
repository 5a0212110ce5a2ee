/**
 * The controller can not start, and the operator can correct the cause. `message` is one line for
 * the terminal: `overgraph: <cause>: <cure>`.
 */
export class StartError extends Error {
  constructor(
    /** The fault, with the variable, file or process; never a secret. */
    override readonly cause: string,
    /** The correction, in the imperative. */
    readonly cure: string,
  ) {
    super(`overgraph: ${cause}: ${cure}`);
    this.name = 'StartError';
  }
}

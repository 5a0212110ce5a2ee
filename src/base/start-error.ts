/**
 * The controller can not start and the operator can do something about it.
 * `message` is one line for the terminal: `overgraph: <cause>: <cure>`.
 */
export class StartError extends Error {
  constructor(
    /** What is wrong, naming the variable, file or process concerned; never a secret. */
    override readonly cause: string,
    /** What to do about it, in the imperative. */
    readonly cure: string,
  ) {
    super(`overgraph: ${cause}: ${cure}`);
    this.name = 'StartError';
  }
}

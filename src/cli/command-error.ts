/** How the command ends; scripts rely on these. */
export const EXIT = {
  done: 0,
  /** The document has faults, or an import broke off. */
  failed: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** The controller can not be reached, or does not let us in. */
  unreachable: 3,
} as const;

/** Ends the command with one line for the user. */
export class CommandError extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}

export const usageError = (message: string): CommandError => new CommandError(EXIT.usage, message);

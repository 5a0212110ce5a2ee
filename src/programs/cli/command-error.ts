/** How every command ends; scripts rely on these. */
export const EXIT = {
  /** It is done, or the answer needs no attention. */
  done: 0,
  /** The answer is the one that a script waits for: access widens, a rule is violated, no way there. */
  noticed: 1,
  /** It can not be done: wrong usage, a fault in a file, a refusal. */
  fault: 2,
  /** The controller can not be reached, or does not let us in: it may work later as it stands. */
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

/** The command line makes no sense; the help tells more. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(EXIT.fault, message);
  }
}

export const usageError = (message: string): CommandError => new UsageError(message);

/** Something in a file, or in the network, keeps the command from its work. */
export const commandFault = (message: string): CommandError =>
  new CommandError(EXIT.fault, message);

/** The command has answered, and a script has to know how. */
export const noticed = (message: string): CommandError => new CommandError(EXIT.noticed, message);

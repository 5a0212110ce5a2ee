import type { Environment } from './controller-connection.js';
import type { CommandLine, OptionName } from './options.js';

/** A command: what parses it, explains it, completes it and runs it is read off this. */
export interface Command {
  readonly name: string;
  /** For the list of commands: `lists what is probably not meant`. */
  readonly summary: string;
  /**
   * The forms of the command, each with the words behind its name: `export <file>`, `rollover signer|root|finish`.
   * A word stands for itself, `<word>` for an operand that must be there, `[word]` for one that may.
   */
  readonly usage: readonly string[];
  /** An explanation, in lines of the width of the help. */
  readonly about: string;
  /** Its options beside those of the connection, each with what it means here. */
  readonly options: Readonly<Partial<Record<OptionName, string>>>;
  /** Whether it logs in to a controller, so that the options of the connection mean something. */
  readonly connects: boolean;
  /** When it ends with 1; it never does without. */
  readonly noticed?: string;
  /** Further remarks, shown behind the options. */
  readonly remark?: string;
  readonly run: Run;
}

/** Implementations are loaded when they run: some bring half of a controller with them. */
export type Run = (
  line: CommandLine,
  env: Environment,
  commands: readonly Command[],
) => Promise<void>;

/** Where the controller is and as whom to log in: options of every command that connects. */
export const CONNECTION_OPTIONS: Command['options'] = {
  url: 'the controller (default: https://localhost:1280)',
  username: 'an administrator (default: OVERGRAPH_ADMIN_USERNAME, or admin)',
  password: 'its password',
  'password-file': `its password, in a file
(default: OVERGRAPH_ADMIN_PASSWORD, or <data>/admin-password)`,
  ca: `authorities to trust, in PEM (default: the roots of <data>/pki if there are some,
beside those of the system)`,
  insecure: 'do not check the certificate of the controller',
};

/** Options that every command has. */
export const COMMON_OPTIONS: Command['options'] = {
  help: 'this help; of a command where one is named',
  version: 'the version of this program',
};

/** Options of one command, with those that it shares. */
export const optionsOf = ({ options, connects }: Command): Command['options'] => ({
  ...options,
  ...(connects ? CONNECTION_OPTIONS : {}),
  help: COMMON_OPTIONS.help ?? '',
});

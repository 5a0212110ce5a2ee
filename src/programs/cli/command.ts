import type { Environment } from './controller-connection.js';
import type { CommandLine, OptionName } from './options.js';

/** A command. The parser, the help, the completion and the run all follow from this object. */
export interface Command {
  readonly name: string;
  /** For the list of commands: `explains whether an identity reaches a service`. */
  readonly summary: string;
  /**
   * The forms of the command, each with the words behind its name: `export <file>`, `rollover signer|root|finish`.
   * A word stands for itself, `<word>` for an operand that must be there, `[word]` for one that may.
   */
  readonly usage: readonly string[];
  /** An explanation, in lines of the width of the help. */
  readonly about: string;
  /** Its options beside those of the connection, each with its meaning here. */
  readonly options: Readonly<Partial<Record<OptionName, string>>>;
  /** Whether it logs in to a controller, and so takes the options of the connection. */
  readonly connects: boolean;
  /** The case in which it ends with 1. Absent: it never does. */
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

/** The address of the controller and the login: options of every command that connects. */
export const CONNECTION_OPTIONS: Command['options'] = {
  url: 'the controller (default: https://localhost:1280)',
  username: 'an administrator (default: OVERGRAPH_ADMIN_USERNAME, or admin)',
  password: 'the password of the administrator',
  'password-file': `a file with this password
(default: OVERGRAPH_ADMIN_PASSWORD, or <data>/admin-password)`,
  'jwt-file': `a file with a JWT of an external signer, in place of a username and a password
(default: OVERGRAPH_JWT)`,
  ca: `a PEM file with the authorities to trust (default: the roots of <data>/pki if
there are any, and those of the system)`,
  insecure: 'do not check the certificate of the controller',
};

/** Options that every command has. */
export const COMMON_OPTIONS: Command['options'] = {
  help: 'show this help, or the help of a command',
  version: 'show the version of this program',
};

/** Options of one command, with those that it shares. */
export const optionsOf = ({ options, connects }: Command): Command['options'] => ({
  ...options,
  ...(connects ? CONNECTION_OPTIONS : {}),
  help: COMMON_OPTIONS.help ?? '',
});

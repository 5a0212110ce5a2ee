import { CONNECTION_OPTIONS, optionsOf, type Command } from './command.js';
import { usageError } from './command-error.js';
import { codeOf } from './controller-connection.js';
import { nearestWord } from './nearest-word.js';
import {
  longOptionsIn,
  parseOptions,
  OPTIONS,
  type CommandLine,
  type OptionName,
  type Options,
} from './options.js';

/** Reads the command line, or tells in one line why it can not. */
export function readCommandLine(
  args: readonly string[],
  commands: readonly Command[],
): CommandLine & { readonly declared: Command | undefined } {
  const { values, positionals } = parsed(args);
  const [command, ...operands] = positionals;
  const declared = command === undefined ? undefined : commandCalled(command, commands);
  if (declared) refuseForeign(values, declared, commands);
  return { command, operands, options: values, declared };
}

/** The command of that name, or an error that names the nearest. */
export function commandCalled(name: string, commands: readonly Command[]): Command {
  const command = commands.find((each) => each.name === name);
  if (command) return command;
  const names = commands.map((each) => each.name);
  throw usageError(`there is no command "${name}"; ${meant(name, names)}`);
}

const meant = (word: string, words: readonly string[]): string => {
  const nearest = nearestWord(word, words);
  return nearest === undefined ? `there are ${words.join(', ')}` : `did you mean "${nearest}"?`;
};

/** Options of the connection may stand at every command, as in an alias. */
function refuseForeign(options: Options, declared: Command, commands: readonly Command[]): void {
  for (const name of Object.keys(options) as OptionName[]) {
    if (name in optionsOf(declared) || name in CONNECTION_OPTIONS || name === 'version') continue;
    const owners = commands.filter((each) => name in each.options);
    throw usageError(`--${name} is an option of ${owners.map((each) => each.name).join(', ')}`);
  }
}

function parsed(args: readonly string[]): ReturnType<typeof parseOptions> {
  try {
    return parseOptions(args);
  } catch (error) {
    // Node's texts name the option; the hint after the first sentence does not help here.
    const message = (error as Error).message.split('. ')[0] ?? '';
    throw usageError(message + (isOfUnknownOption(error) ? meantOption(args) : ''));
  }
}

const isOfUnknownOption = (error: unknown): boolean =>
  codeOf(error) === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';

function meantOption(args: readonly string[]): string {
  const unknown = longOptionsIn(args).find((name) => !Object.hasOwn(OPTIONS, name));
  const nearest = unknown === undefined ? undefined : nearestWord(unknown, Object.keys(OPTIONS));
  return nearest === undefined ? '' : `; did you mean --${nearest}?`;
}

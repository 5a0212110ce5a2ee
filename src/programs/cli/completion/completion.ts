import { COMMON_OPTIONS, optionsOf, type Command } from '../command.js';
import { shapeOf, type OptionName } from '../options.js';

/** The parts of a command line that any shell can complete. */
export interface Completion {
  readonly commands: readonly CompletedCommand[];
  /** Options before there is a command. */
  readonly options: readonly CompletedOption[];
  /** Every option that takes a value, at whatever command. */
  readonly values: readonly CompletedOption[];
}

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  readonly operands: readonly OperandStep[];
}

export interface CompletedOption {
  readonly name: string;
  readonly short: string | undefined;
  readonly text: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly isFile: boolean;
}

/** The words that can follow the words so far, which begin with the command. */
export interface OperandStep {
  readonly after: readonly string[];
  readonly words: readonly string[];
  readonly isFile: boolean;
}

/** Choices that declarations leave open, by option. */
type Choices = Readonly<Partial<Record<OptionName, readonly string[]>>>;

/** All of it, from the declarations. */
export function completionOf(commands: readonly Command[], choices: Choices): Completion {
  const names = commands.map(({ name }) => name);
  const completed = commands.map((command) => ({
    name: command.name,
    summary: command.summary,
    options: completedOptions(optionsOf(command), choices),
    operands: merged(command.usage.flatMap((usage) => steps(command.name, usage, names))),
  }));
  const options = completedOptions(COMMON_OPTIONS, choices);
  const all = new Map(completed.flatMap((each) => each.options).map((each) => [each.name, each]));
  const values = [...all.values()].filter(({ takesValue }) => takesValue);
  return { commands: completed, options, values };
}

const completedOptions = (options: Command['options'], choices: Choices): CompletedOption[] =>
  (Object.entries(options) as [OptionName, string][]).map(([name, text]) => {
    const { type, short, choices: declared, isFile = false } = shapeOf(name);
    return {
      name,
      short,
      text: text.replaceAll('\n', ' '),
      takesValue: type === 'string',
      choices: choices[name] ?? declared ?? [],
      isFile,
    };
  });

/** The words of one form of a command, up to the first that only the user knows. */
function steps(name: string, usage: string, commands: readonly string[]): OperandStep[] {
  const found: OperandStep[] = [];
  const after = [name];
  for (const word of usage.split(' ').filter((each) => each !== '')) {
    const [, operand] = /^[<[]([a-z]+)[>\]]$/.exec(word) ?? [];
    const isFile = operand === 'file';
    const isKnown = operand === undefined && !/^\[?--/.test(word);
    const words = operand === 'command' ? commands : isKnown ? word.split('|') : [];
    if (isFile || words.length > 0) found.push({ after: [...after], words, isFile });
    if (words.length !== 1) break;
    after.push(word);
  }
  return found;
}

/** Forms that begin alike are one step. */
function merged(all: readonly OperandStep[]): OperandStep[] {
  const byPlace = new Map<string, OperandStep>();
  for (const step of all) {
    const place = step.after.join(' ');
    const words = [...(byPlace.get(place)?.words ?? []), ...step.words];
    byPlace.set(place, { ...step, words: [...new Set(words)] });
  }
  return [...byPlace.values()];
}

/** As the shell knows it: `--kind`. */
export const flagOf = ({ name }: CompletedOption): string => `--${name}`;

/** In single quotes, for any of the shells that read `'\''` so. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

import { COMMON_OPTIONS, CONNECTION_OPTIONS, type Command } from './command.js';
import { shapeOf, type OptionName } from './options.js';

/** The help of a command, or of the program. */
export const helpOf = (command: Command | undefined, commands: readonly Command[]): string =>
  command ? helpOfCommand(command) : helpOfProgram(commands);

const helpOfProgram = (commands: readonly Command[]): string =>
  paragraphs(
    'Usage: overgraph <command> [options]',
    `Commands:\n${columns(
      commands.map(({ name, summary }) => [name, summary]),
      16,
    )}`,
    optionList('Options:', COMMON_OPTIONS),
    `Exit codes:\n${columns(
      [
        ['0', 'done; the answer needs no attention'],
        ['1', `the answer needs attention:\n${noticedBy(commands)}`],
        ['2', 'it can not be done: wrong usage, a fault in a file (with its place), or a refusal'],
        ['3', 'the controller can not be reached, or refuses the login'],
      ],
      5,
    )}`,
    `Files of networks have the format of "ziti ops export", YAML or JSON.
"overgraph help <command>" explains a command.`,
  );

const noticedBy = (commands: readonly Command[]): string =>
  commands
    .flatMap(({ name, noticed }) => (noticed === undefined ? [] : [`${name}: ${noticed}`]))
    .join('\n');

function helpOfCommand({
  name,
  usage,
  about,
  options,
  connects,
  remark,
  noticed,
}: Command): string {
  const codes = [
    '0 done',
    ...(noticed === undefined ? [] : [`1 ${noticed}`]),
    '2 it can not be done',
    ...(connects ? ['3 no connection or no login'] : []),
  ];
  return paragraphs(
    usageLines(name, usage, Object.keys(options).length > 0 || connects),
    about,
    optionList('Options:', options),
    ...(connects
      ? [optionList('Connection:', CONNECTION_OPTIONS), '<data> is OVERGRAPH_DATA_DIR, or ./data.']
      : []),
    remark ?? '',
    `Exit codes: ${codes.join('; ')}.`,
  );
}

function usageLines(name: string, usage: readonly string[], hasOptions: boolean): string {
  const options = hasOptions ? ['[options]'] : [];
  return usage
    .map((operands, i) => {
      const words = [i === 0 ? 'Usage:' : '      ', 'overgraph', name, ...options, operands];
      return words.join(' ').trimEnd();
    })
    .join('\n');
}

const optionList = (title: string, options: Command['options']): string => {
  const rows = Object.entries(options).map(([name, text]) => [
    optionText(name as OptionName),
    text,
  ]);
  return rows.length === 0 ? '' : `${title}\n${columns(rows as [string, string][], 24)}`;
};

/** `-k, --insecure`, `--ca <file>` */
function optionText(name: OptionName): string {
  const { short, value } = shapeOf(name);
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
}

/** Two columns; text that does not fit beside the first begins on the next line. */
const columns = (rows: readonly (readonly [string, string])[], width: number): string =>
  rows
    .map(([first, text]) => {
      const [line = '', ...more] = text.split('\n');
      const begin =
        first.length < width ? [first.padEnd(width) + line] : [first, indented(line, width)];
      return [...begin, ...more.map((each) => indented(each, width))];
    })
    .flatMap((lines) => lines.map((line) => `  ${line}`))
    .join('\n');

const indented = (line: string, width: number): string => `${' '.repeat(width)}${line}`;

const paragraphs = (...parts: string[]): string =>
  `${parts.filter((part) => part !== '').join('\n\n')}\n`;

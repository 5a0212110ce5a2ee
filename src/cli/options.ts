import { parseArgs, type ParseArgsConfig } from 'node:util';
import { usageError } from './command-error.js';

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  url: { type: 'string' },
  username: { type: 'string' },
  password: { type: 'string' },
  'password-file': { type: 'string' },
  ca: { type: 'string' },
  insecure: { type: 'boolean', short: 'k' },
  types: { type: 'string' },
  format: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'include-pki': { type: 'boolean' },
  'new-pki': { type: 'boolean' },
  'disable-mfa': { type: 'boolean' },
  'override-reason': { type: 'string' },
  bind: { type: 'boolean' },
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  'allow-wider': { type: 'boolean' },
  kind: { type: 'string', multiple: true },
  'fail-on': { type: 'string' },
  baseline: { type: 'string' },
  muted: { type: 'boolean' },
  reason: { type: 'string' },
  until: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

type OptionName = keyof typeof OPTIONS;

/** Options that belong to some commands alone. */
const OF_COMMAND: Readonly<Partial<Record<OptionName, readonly string[]>>> = {
  types: ['export'],
  format: ['export'],
  'dry-run': ['import'],
  'include-pki': ['snapshot'],
  'new-pki': ['restore'],
  'disable-mfa': ['admin'],
  'override-reason': ['import'],
  bind: ['why'],
  json: ['why', 'simulate', 'findings'],
  all: ['simulate'],
  'allow-wider': ['simulate'],
  kind: ['findings'],
  'fail-on': ['findings'],
  baseline: ['findings'],
  muted: ['findings'],
  reason: ['findings'],
  until: ['findings'],
};

export const COMMANDS: readonly string[] = [
  'export',
  'import',
  'why',
  'simulate',
  'findings',
  'pki',
  'snapshot',
  'restore',
  'admin',
  'secret-key',
];

export type Options = ReturnType<typeof parse>['values'];

export interface CommandLine {
  readonly command: string | undefined;
  readonly operands: readonly string[];
  readonly options: Options;
}

const parse = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });

/** Reads the command line, or tells in one line why it can not. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parsed(args);
  const [command, ...operands] = positionals;
  if (command !== undefined && !COMMANDS.includes(command)) {
    throw usageError(`there is no command "${command}"; there are ${COMMANDS.join(', ')}`);
  }
  for (const name of Object.keys(values) as OptionName[]) {
    const of = OF_COMMAND[name];
    if (of !== undefined && command !== undefined && !of.includes(command)) {
      throw usageError(`--${name} is an option of ${of.join(', ')}`);
    }
  }
  return { command, operands, options: values };
}

function parsed(args: readonly string[]): ReturnType<typeof parse> {
  try {
    return parse(args);
  } catch (error) {
    // Node's texts name the option; the hint after the first sentence does not help here.
    throw usageError((error as Error).message.split('. ')[0] ?? '');
  }
}

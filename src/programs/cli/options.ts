import { parseArgs, type ParseArgsConfig } from 'node:util';

/*
 * Node's `parseArgs` reads the options. `commander` 14 would take its place and that of the nearest word,
 * 60 lines; it is 107 kB to load at each start. The order of the help, the words of refusals and the
 * completion of three shells would stay ours: it makes no completion.
 */

/** The values of an option, which are the same at every command that has it. */
interface OptionShape {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The name of its value in the help. */
  readonly value?: string;
  /** All values. Those of `kind` are known only where the command runs. */
  readonly choices?: readonly string[];
  readonly isFile?: boolean;
}

export const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  url: { type: 'string', value: 'url' },
  username: { type: 'string', value: 'name' },
  password: { type: 'string', value: 'text' },
  'password-file': { type: 'string', value: 'file', isFile: true },
  'jwt-file': { type: 'string', value: 'file', isFile: true },
  ca: { type: 'string', value: 'file', isFile: true },
  insecure: { type: 'boolean', short: 'k' },
  types: { type: 'string', value: 'a,b' },
  format: { type: 'string', value: 'yaml|json', choices: ['yaml', 'json'] },
  'dry-run': { type: 'boolean' },
  'include-pki': { type: 'boolean' },
  'new-pki': { type: 'boolean' },
  'disable-mfa': { type: 'boolean' },
  'override-reason': { type: 'string', value: 'text' },
  bind: { type: 'boolean' },
  'policy-only': { type: 'boolean' },
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  limit: { type: 'string', value: 'count' },
  from: { type: 'string', value: 'time' },
  to: { type: 'string', value: 'time' },
  'fail-on-gained': { type: 'boolean' },
  since: { type: 'string', value: 'change' },
  changes: { type: 'boolean' },
  'allow-wider': { type: 'boolean' },
  kind: { type: 'string', multiple: true, value: 'kind' },
  'fail-on': { type: 'string', value: 'severity', choices: ['high', 'medium', 'low'] },
  baseline: { type: 'string', value: 'file', isFile: true },
  muted: { type: 'boolean' },
  reason: { type: 'string', value: 'text' },
  until: { type: 'string', value: 'time' },
  minutes: { type: 'string', value: 'minutes' },
  comment: { type: 'string', value: 'text' },
  force: { type: 'boolean' },
} as const satisfies Readonly<Record<string, OptionShape>>;

export type OptionName = keyof typeof OPTIONS;

/** With every member that an option may have. */
export const shapeOf = (name: OptionName): OptionShape => OPTIONS[name];

export type Options = ReturnType<typeof parseOptions>['values'];

export interface CommandLine {
  readonly command: string | undefined;
  readonly operands: readonly string[];
  readonly options: Options;
}

const PARSING = {
  options: OPTIONS satisfies ParseArgsConfig['options'],
  allowPositionals: true,
} as const;

/** @throws Error of Node with a text for the user */
export const parseOptions = (args: readonly string[]) =>
  parseArgs({ ...PARSING, args: [...args], strict: true });

/** The names of the options that a command line writes in full, known or not. */
export const longOptionsIn = (args: readonly string[]): string[] =>
  parseArgs({ ...PARSING, args: [...args], strict: false, tokens: true }).tokens.flatMap((token) =>
    token.kind === 'option' && token.rawName.startsWith('--') ? [token.name] : [],
  );

import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { optionsOf } from '../../../src/programs/cli/command.js';
import { COMMANDS } from '../../../src/programs/cli/commands/index.js';
import { overgraph } from '../../support/command.js';

/** Completion in shells: the scripts that the built command writes, in the shells that are there. */

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const has = (shell: Shell): boolean => {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const scripts = new Map<Shell, string>();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-completion-'));
  for (const shell of SHELLS) {
    const { code, out, err } = await overgraph({}, 'completion', shell);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    scripts.set(shell, out);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a program prints that has no fault to tell of. */
async function output(program: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, [...args]);
  expect(stderr).toBe('');
  return stdout;
}

describe.each(SHELLS)('the script for %s', (shell) => {
  it('knows every command with its options', () => {
    const script = scripts.get(shell) ?? '';
    for (const command of COMMANDS) {
      expect(script).toMatch(new RegExp(`\\b${command.name}\\b`));
      for (const option of Object.keys(optionsOf(command))) {
        expect(script).toContain(shell === 'fish' ? `-l ${option} ` : `--${option}`);
      }
    }
  });

  (has(shell) ? it : it.skip)('has no syntax error', async () => {
    const file = join(folder, shell);
    await writeFile(file, scripts.get(shell) ?? '');
    expect(await output(shell, ['-n', file])).toBe('');
  });
});

/** What a command line may go on with, whatever the shell. */
const LINES: readonly (readonly [
  what: string,
  words: readonly string[],
  expected: readonly string[],
])[] = [
  ['commands', ['w'], ['why', 'who-reaches', 'watch']],
  ['a command behind options with values', ['--url', 'https://x', '-k', 'sim'], ['simulate']],
  [
    'options of a command',
    ['why', 'ada', '--p'],
    ['--policy-only', '--password', '--password-file'],
  ],
  ['no option of another command', ['export', '--bi'], []],
  ['options before a command', ['--'], ['--help', '--version']],
  ['values of an option', ['export', '--format', ''], ['yaml', 'json']],
  ['what findings there are', ['findings', '--kind', 'shadowed'], ['shadowed-policy']],
  ['actions', ['pki', ''], ['show', 'export', 'import', 'rollover']],
  ['what an action takes', ['pki', 'rollover', ''], ['signer', 'root', 'finish']],
  ['kinds of entities', ['attributes', 'add', 'e'], ['edge-router']],
  ['no names of entities', ['attributes', 'add', 'identity', ''], []],
  ['what help is there for', ['help', 'fin'], ['findings']],
  ['shells', ['completion', ''], ['bash', 'zsh', 'fish']],
  ['files', ['simulate', 'package-l'], ['package-lock.json']],
  ['files of actions', ['-k', 'pki', 'import', 'package-l'], ['package-lock.json']],
  ['files of options', ['why', '--ca', 'package-l'], ['package-lock.json']],
  ['no names of identities', ['why', ''], []],
];

const bash = (words: readonly string[]): Promise<string> => {
  const script = `${scripts.get('bash') ?? ''}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _overgraph; printf '%s\n' "\${COMPREPLY[@]}"`;
  return output('bash', ['--norc', '-c', script, 'bash', ...words]);
};

/** With what the functions of its completion do, as far as that is needed here. */
const zsh = (words: readonly string[]): Promise<string> => {
  const script = `compdef() { :; }
    offer() { for each in "$@"; do [[ $each == $words[CURRENT]* ]] && print -r -- "$each"; done; }
    compadd() { offer "\${@:#--}"; }
    _files() { offer *; }
    _describe() { [[ $1 == -o ]] && shift; offer "\${(@)\${(P)2}%%:*}"; }
    words=("$@"); CURRENT=$#
    ${scripts.get('zsh') ?? ''}
    _overgraph; true`;
  return output('zsh', ['-f', '-c', script, 'zsh', ...words]);
};

const fish = (words: readonly string[]): Promise<string> => {
  const script = `${scripts.get('fish') ?? ''}
    complete -C '${words.join(' ')}' | string split -f1 \\t; true`;
  return output('fish', ['--no-config', '-c', script]);
};

describe.each([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
] as const)('in %s', (shell, complete) => {
  const isThere = has(shell) ? it : it.skip;

  isThere.each(LINES)('are completed: %s', async (_, words, expected) => {
    const completed = (await complete(['overgraph', ...words])).split('\n');
    expect(completed.filter((word) => word !== '').sort()).toEqual([...expected].sort());
  });
});

describe('bash', () => {
  (has('bash') ? it : it.skip)('completes values behind an equals sign', async () => {
    const words = ['overgraph', 'findings', '--fail-on', '='];
    expect(await bash([...words, 'm'])).toBe('medium\n');
    expect(await bash(words)).toBe('high\nmedium\nlow\n');
  });

  (has('bash') ? it : it.skip)('is loaded as the help says', async () => {
    const program = join(process.cwd(), 'dist/program/overgraph.js');
    const load = 'source <("$0" "$1" completion bash); complete -p overgraph';
    const out = await output('bash', ['--norc', '-c', load, process.execPath, program]);
    expect(out).toBe('complete -F _overgraph overgraph\n');
  });
});

describe('the command', () => {
  it.each([[[]], [['tcsh']], [['bash', 'zsh']]])('ends with 2 when used with %j', async (args) => {
    const { code, out, err } = await overgraph({}, 'completion', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('completion takes bash, zsh or fish');
  });
});

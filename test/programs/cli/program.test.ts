import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../../src/programs/cli/commands/index.js';
import { optionsOf } from '../../../src/programs/cli/command.js';
import { OPTIONS } from '../../../src/programs/cli/options.js';
import { overgraph, overgraphInto } from '../../support/command.js';

/** What the program says of itself, from the declarations of its commands. */

const names = COMMANDS.map(({ name }) => name);
const run = (...args: string[]) => overgraph({}, ...args);

describe('the program', () => {
  it('tells the version of its package', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(await run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  it('lists every command and every exit code', async () => {
    const { code, out, err } = await run('help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const name of names) expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(out).toContain('simulate: access widens, or an access rule is violated');
    for (const exitCode of [0, 1, 2, 3]) {
      expect(out).toMatch(new RegExp(`^  ${String(exitCode)} {2}`, 'm'));
    }
    expect(await run('--help')).toEqual({ code, out, err });
  });

  it('shows its help as a fault when no command is given', async () => {
    const { out } = await run('help');
    expect(await run()).toEqual({ code: 2, out: '', err: out });
  });

  it.each(names)('explains %s with all of its options', async (name) => {
    const { code, out, err } = await run('help', name);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`^Usage: overgraph ${name}\\b`));
    const command = COMMANDS.find((each) => each.name === name);
    for (const option of Object.keys(command ? optionsOf(command) : {})) {
      if (option !== 'help') expect(out).toContain(`--${option}`);
    }
    expect(await run(name, '--help')).toEqual({ code, out, err });
  });

  it('has no option that no command takes', () => {
    const taken = COMMANDS.flatMap((command) => Object.keys(optionsOf(command)));
    expect([...new Set([...taken, 'version'])].sort()).toEqual(Object.keys(OPTIONS).sort());
  });

  it.each([
    [['finding'], 'there is no command "finding"; did you mean "findings"?'],
    [['hwy', 'ada', 'wiki'], 'there is no command "hwy"; did you mean "why"?'],
    [['help', 'simluate'], 'there is no command "simluate"; did you mean "simulate"?'],
    [['destroy'], 'there is no command "destroy"; there are export, import, demo'],
    [['import', '--dryrun', 'x'], "Unknown option '--dryrun'; did you mean --dry-run?"],
    [['help', 'why', 'not'], 'help takes one command at the most'],
  ])('ends with 2 and a hint when used as %j', async (args, message) => {
    const { code, out, err } = await run(...args);
    expect({ code, out, err }).toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining(`overgraph: ${message}`),
    });
  });

  it.each(['help', 'nonsense'])('says nothing of a reader that has gone: %s', async (command) => {
    const { code, out, err } = await run(command);
    expect(await overgraphInto('| true', {}, command)).toEqual({ code, out: '', err });
    const [line] = out.split(/(?<=\n)/);
    expect(await overgraphInto('| head -1', {}, command)).toEqual({ code, out: line, err });
  });

  (existsSync('/dev/full') ? it : it.skip)('ends with 2 when the disk is full', async () => {
    expect(await overgraphInto('>/dev/full', {}, 'help')).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/^overgraph: the output can not be written: ENOSPC.*\n$/),
    });
  });
});

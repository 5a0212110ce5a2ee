import { describe, expect, it } from '@jest/globals';
import { readCommandLine } from '../../../src/programs/cli/command-line.js';
import { COMMANDS } from '../../../src/programs/cli/commands/index.js';

describe('the command line', () => {
  const refusalOf = async (args: readonly string[]): Promise<unknown> => {
    try {
      const line = readCommandLine(args, COMMANDS);
      await line.declared?.run(line, { OVERGRAPH_ADMIN_PASSWORD: 'never sent' }, COMMANDS);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it.each([
    [['why', 'ada'], 'why takes an identity and a service'],
    [['why', 'ada', 'wiki', 'now'], 'why takes an identity and a service'],
    [['export', '--bind'], '--bind is an option of why'],
    [
      ['import', '--json', 'x'],
      '--json is an option of access, why, who-reaches, reaches, simulate',
    ],
    [['simulate'], 'simulate takes one file'],
    [['simulate', 'not-there.yaml'], 'not-there.yaml can not be read: ENOENT'],
    [
      ['findings', '--kind', 'nonsense'],
      '--kind must be one of ACCESS_RULE_VIOLATED, BREAK_GLASS_USED',
    ],
    [['findings', '--fail-on', 'all'], '--fail-on must be high, medium or low, is "all"'],
    [['findings', 'x'], 'findings takes no operands but mute <id> and unmute <id>'],
    [['findings', 'mute'], 'findings mute takes the id of a finding'],
    [['findings', 'mute', 'a', 'b', '--reason', 'x'], 'findings mute takes the id of a finding'],
    [['findings', 'mute', 'a'], 'findings mute takes a --reason'],
    [['findings', 'mute', 'a', '--reason', ' '], 'findings mute takes a --reason'],
    [['findings', 'mute', 'a', '--reason', 'x', '--until', 'May'], '--until must be a day or an'],
    [['findings', 'mute', 'a', '--reason', 'x', '--until', '2030-13-01'], '--until must be a day'],
    [['findings', 'unmute'], 'findings unmute takes the id of a finding'],
    [['findings', 'unmute', 'a', '--reason', 'x'], '--reason and --until are options of findings'],
    [['findings', '--until', '2030-01-01'], '--reason and --until are options of findings mute'],
    [['why', 'ada', 'wiki', '--muted'], '--muted is an option of findings'],
    [['findings', '--baseline', 'not-there.json'], 'not-there.json can not be read: ENOENT'],
    [['findings', '--baseline', 'README.md'], 'README.md:'],
    [['findings', '--baseline', 'package.json'], 'package.json: is no list; a baseline is what'],
    [['attributes'], 'attributes takes add or remove'],
    [['attributes', 'list'], 'attributes takes add or remove'],
    [
      ['attributes', 'add', 'policy', 'x', 'y'],
      'attributes add takes a kind: identity, service, edge-router, posture-check',
    ],
    [['attributes', 'add', 'identity', 'ada'], 'takes a name and one or more attributes'],
    [['attributes', 'remove', 'service'], 'takes a name and one or more attributes'],
    [
      ['attributes', 'add', 'service', 'a', 'b', '--override-reason', ' '],
      '--override-reason must',
    ],
    [['import', '--override-reason', ' ', 'README.md'], '--override-reason must be a line of text'],
    [['import', '--override-reason', 'a\nb', 'README.md'], '--override-reason must be a line'],
  ])('makes no sense as %j', async (args, message) => {
    expect(await refusalOf(args)).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(message),
    });
  });
});

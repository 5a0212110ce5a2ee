import type { Command } from '../command.js';

/** Commands about this program itself. */
export const programCommands: readonly Command[] = [
  {
    name: 'help',
    summary: 'explains the program, or a command',
    usage: ['[command]'],
    about: 'Tells the same as --help: of the program, or of a command.',
    options: {},
    connects: false,
    run: async (...all) => (await import('../help-command.js')).helpCommand(...all),
  },
];

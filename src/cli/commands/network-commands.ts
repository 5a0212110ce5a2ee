import type { Command } from '../command.js';

/** Commands that carry a whole network. */
export const networkCommands: readonly Command[] = [
  {
    name: 'export',
    summary: 'writes the network of a controller to a file',
    usage: ['[file]'],
    about: `Writes the network to a file, or to the standard output. Passwords, enrollment tokens and other
secrets are never part of it.`,
    options: {
      types: 'only these sections, such as services,service-policies (default: all)',
      format: 'default: by the name of the file, else yaml',
    },
    connects: true,
    run: async (line, env) => (await import('../export-command.js')).exportCommand(line, env),
  },
  {
    name: 'import',
    summary: 'brings the network of a controller to what a file says',
    usage: ['<file>'],
    about: `Creates what is missing and changes what differs, by name; nothing is deleted. The whole file is
checked first, and with a fault anywhere nothing is written. If an import breaks off, run it again.
"-" reads the standard input.`,
    options: {
      'dry-run': 'only tell what would be done',
      'override-reason': 'violate access rules if need be; the reason goes to the change log',
    },
    connects: true,
    run: async (line, env) => (await import('../import-command.js')).importCommand(line, env),
  },
];

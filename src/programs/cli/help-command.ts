import type { Run } from './command.js';
import { usageError } from './command-error.js';
import { commandCalled } from './command-line.js';
import { helpOf } from './help.js';

/** `overgraph help [command]` */
export const helpCommand: Run = async ({ operands }, _env, commands) => {
  const [name, ...others] = operands;
  if (others.length > 0) throw usageError('help takes one command at the most');
  const command = name === undefined ? undefined : commandCalled(name, commands);
  process.stdout.write(helpOf(command, commands));
  return Promise.resolve();
};

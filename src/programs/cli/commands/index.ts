import type { Command } from '../command.js';
import { networkCommands } from './network-commands.js';
import { programCommands } from './program-commands.js';
import { questionCommands } from './question-commands.js';
import { upkeepCommands } from './upkeep-commands.js';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...networkCommands,
  ...questionCommands,
  ...upkeepCommands,
  ...programCommands,
];

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
  {
    name: 'completion',
    summary: 'writes what completes commands and options in a shell',
    usage: ['bash|zsh|fish'],
    about: `Writes a script by which a shell completes commands, their options and what options take:
  bash   source <(overgraph completion bash), in ~/.bashrc
  zsh    source <(overgraph completion zsh), in ~/.zshrc behind compinit
  fish   overgraph completion fish > ~/.config/fish/completions/overgraph.fish`,
    options: {},
    connects: false,
    run: async (...line) => (await import('../completion-command.js')).completionCommand(...line),
  },
];

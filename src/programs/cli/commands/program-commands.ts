import type { Command } from '../command.js';

/** Commands about this program itself. */
export const programCommands: readonly Command[] = [
  {
    name: 'help',
    summary: 'explains the program, or a command',
    usage: ['[command]'],
    about: 'Shows the same help as --help, for the program or for a command.',
    options: {},
    connects: false,
    run: async (...all) => (await import('../help-command.js')).helpCommand(...all),
  },
  {
    name: 'completion',
    summary: 'writes a script that completes commands and options in a shell',
    usage: ['bash|zsh|fish'],
    about: `Writes a script for a shell. With it the shell completes commands, options and their values:
  bash   source <(overgraph completion bash), in ~/.bashrc
  zsh    source <(overgraph completion zsh), in ~/.zshrc after compinit
  fish   overgraph completion fish > ~/.config/fish/completions/overgraph.fish`,
    options: {},
    connects: false,
    run: async (...line) => (await import('../completion-command.js')).completionCommand(...line),
  },
];

import { FINDING_KIND } from '../../access/analysis/index.js';
import type { Run } from './command.js';
import { usageError } from './command-error.js';
import { bashScript } from './completion/bash.js';
import { completionOf, type Completion } from './completion/completion.js';
import { fishScript } from './completion/fish.js';
import { zshScript } from './completion/zsh.js';

const SCRIPTS: Readonly<Record<string, (completion: Completion) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `overgraph completion bash|zsh|fish` */
export const completionCommand: Run = async ({ operands }, _env, commands) => {
  const [shell = '', ...others] = operands;
  const script = SCRIPTS[shell];
  if (!script || others.length > 0) throw usageError('completion takes bash, zsh or fish');
  const kind = FINDING_KIND.values.map((name) => name.toLowerCase().replaceAll('_', '-'));
  process.stdout.write(script(completionOf(commands, { kind })));
  return Promise.resolve();
};

import { CommandError, EXIT } from './command-error.js';
import { exportCommand } from './export-command.js';
import { helpOf } from './help.js';
import { importCommand } from './import-command.js';
import { readCommandLine, type CommandLine } from './options.js';
import { pkiCommand } from './pki-command.js';

type Command = (line: CommandLine, env: NodeJS.ProcessEnv) => Promise<void>;

const COMMANDS: Readonly<Record<string, Command>> = {
  export: exportCommand,
  import: importCommand,
  pki: pkiCommand,
};

async function main(args: readonly string[]): Promise<number> {
  try {
    const line = readCommandLine(args);
    if (line.options.help === true || line.command === undefined) {
      const text = helpOf(line.command);
      if (line.options.help === true) process.stdout.write(text);
      else process.stderr.write(text);
      return line.options.help === true ? EXIT.done : EXIT.usage;
    }
    await COMMANDS[line.command]?.(line, process.env);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const hint = error.exitCode === EXIT.usage ? ' ("overgraph --help" tells more)' : '';
    process.stderr.write(`overgraph: ${error.message}${hint}\n`);
    return error.exitCode;
  }
}

process.exitCode = await main(process.argv.slice(2));

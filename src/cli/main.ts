import { CommandError, EXIT } from './command-error.js';
import { exportCommand } from './export-command.js';
import { helpOf } from './help.js';
import { importCommand } from './import-command.js';
import { readCommandLine } from './options.js';

async function main(args: readonly string[]): Promise<number> {
  try {
    const line = readCommandLine(args);
    if (line.options.help === true || line.command === undefined) {
      const text = helpOf(line.command);
      if (line.options.help === true) process.stdout.write(text);
      else process.stderr.write(text);
      return line.options.help === true ? EXIT.done : EXIT.usage;
    }
    await (line.command === 'export' ? exportCommand : importCommand)(line, process.env);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const hint = error.exitCode === EXIT.usage ? ' ("overgraph --help" tells more)' : '';
    process.stderr.write(`overgraph: ${error.message}${hint}\n`);
    return error.exitCode;
  }
}

process.exitCode = await main(process.argv.slice(2));

import { commandFault, CommandError, EXIT, UsageError } from './command-error.js';
import { exportCommand } from './export-command.js';
import { helpOf } from './help.js';
import { importCommand } from './import-command.js';
import { readCommandLine, type CommandLine } from './options.js';
import { pkiCommand } from './pki-command.js';
import { simulateCommand } from './simulate-command.js';
import { snapshotCommand } from './snapshot-command.js';
import { whyCommand } from './why-command.js';
import { StartError } from '../store/start-error.js';
import { SnapshotFault } from '../store/snapshot/snapshot-fault.js';

type Command = (line: CommandLine, env: NodeJS.ProcessEnv) => Promise<void>;

const COMMANDS: Readonly<Record<string, Command>> = {
  export: exportCommand,
  import: importCommand,
  pki: pkiCommand,
  snapshot: snapshotCommand,
  why: whyCommand,
  simulate: simulateCommand,
  // These bring half of a controller with them, which the others need not wait for.
  findings: async (...line) => (await import('./findings-command.js')).findingsCommand(...line),
  restore: async (...line) => (await import('./restore-command.js')).restoreCommand(...line),
  admin: async (...line) => (await import('./admin-command.js')).adminCommand(...line),
  'secret-key': async (...line) =>
    (await import('./secret-key-command.js')).secretKeyCommand(...line),
};

async function main(args: readonly string[]): Promise<number> {
  try {
    const line = readCommandLine(args);
    if (line.options.help === true || line.command === undefined) {
      const text = helpOf(line.command);
      if (line.options.help === true) process.stdout.write(text);
      else process.stderr.write(text);
      return line.options.help === true ? EXIT.done : EXIT.fault;
    }
    await COMMANDS[line.command]?.(line, process.env);
    return EXIT.done;
  } catch (error) {
    const told = asCommandError(error);
    const hint = told instanceof UsageError ? ' ("overgraph --help" tells more)' : '';
    process.stderr.write(`overgraph: ${told.message}${hint}\n`);
    return told.exitCode;
  }
}

/** An error that nobody expected is shown with its stack, and is no answer of the command either. */
function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof StartError) return commandFault(`${error.cause}: ${error.cure}`);
  if (error instanceof SnapshotFault) return commandFault(error.message);
  return commandFault(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

process.exitCode = await main(process.argv.slice(2));

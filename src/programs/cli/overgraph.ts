import { productVersion } from '../../base/program-folder.js';
import { SnapshotFault } from '../../data/store/snapshot/snapshot-fault.js';
import { StartError } from '../../base/start-error.js';
import { commandFault, CommandError, EXIT, UsageError } from './command-error.js';
import { readCommandLine } from './command-line.js';
import { COMMANDS } from './commands/index.js';
import { helpOf } from './help.js';
import { tolerateClosedOutput } from './output.js';

async function main(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    return report(error);
  }
}

/** Tells what went wrong; gives the exit code. */
function report(error: unknown): number {
  const commandError = asCommandError(error);
  const hint = commandError instanceof UsageError ? ' ("overgraph help" tells more)' : '';
  process.stderr.write(`overgraph: ${commandError.message}${hint}\n`);
  return commandError.exitCode;
}

async function run(args: readonly string[]): Promise<number> {
  const line = readCommandLine(args, COMMANDS);
  const { declared, options } = line;
  if (options.version) {
    console.log(productVersion());
  } else if (options.help) {
    process.stdout.write(helpOf(declared, COMMANDS));
  } else if (declared) {
    await declared.run(line, process.env, COMMANDS);
  } else {
    process.stderr.write(helpOf(undefined, COMMANDS));
    return EXIT.fault;
  }
  return EXIT.done;
}

/** An unexpected error is shown with its stack, and is no answer of the command either. */
function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof StartError) return commandFault(`${error.cause}: ${error.cure}`);
  if (error instanceof SnapshotFault) return commandFault(error.message);
  return commandFault(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

tolerateClosedOutput();
// By itself, Node would end with 1, which is an answer here.
process.on('uncaughtException', (error) => process.exit(report(error)));
process.exitCode = await main(process.argv.slice(2));

import { randomUUID } from 'node:crypto';
import { Import, ImportProgress, type ImportResult } from '../emitted/operations.js';
import { Client } from './client.js';
import { Refusal } from './refusal.js';
import { CommandError, commandFault, usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import { readDocument } from './document.js';
import { refuseFaults } from './refuse-faults.js';
import { IMPORT_PATH, refuseTooLarge } from './large-body.js';
import type { CommandLine } from './options.js';
import { overrideHeader } from './override-header.js';
import { table } from './text-table.js';

const PROGRESS_MILLIS = 2_000;

type Imported = NonNullable<ImportResult['importNetwork']>;

const COUNTS = ['created', 'updated', 'unchanged', 'skipped', 'failed'] as const;

/** `overgraph import <file>` */
export async function importCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const [file, ...others] = operands;
  if (file === undefined || others.length > 0) throw usageError('import takes one file');
  const headers = overrideHeader(options);
  const connection = await connectionOf(options, env);
  const document = await readDocument(file);
  const dryRun = options['dry-run'] === true;
  const variables = { document, dryRun, importId: randomUUID() };
  refuseTooLarge(file, Import, variables);
  const client = await Client.login(connection);
  try {
    const stopWatching = watchProgress(client, variables.importId);
    const { importNetwork } = await client
      .run(Import, variables, { path: IMPORT_PATH, headers })
      .catch((error: unknown) => {
        throw brokenOff(error);
      })
      .finally(stopWatching);
    report(importNetwork, file, dryRun);
  } finally {
    await client.logout();
  }
}

/** A connection that ends in the middle of an import leaves whole transactions behind. */
function brokenOff(error: unknown): unknown {
  if (!(error instanceof CommandError) || error instanceof Refusal) return error;
  return commandFault(`${error.message}; import again to go on`);
}

function report(imported: Imported, file: string, dryRun: boolean): void {
  const { faults, faultCount, ignored, entities, summary, failure, importId } = imported;
  refuseFaults(file, { ignored, faultCount, faults: faults.map(({ message }) => message) });
  if (dryRun) {
    const changes = entities.filter(({ action }) => action !== 'unchanged');
    for (const { action, type, name } of changes) {
      console.log(`${action.padEnd(7)}  ${type} ${JSON.stringify(name)}`);
    }
    if (changes.length > 0) console.log('');
  }
  console.log(
    table(
      ['section', ...COUNTS],
      summary.map((row) => [row.type, ...COUNTS.map((count) => row[count])]),
    ),
  );
  if (failure !== null) throw commandFault(`the import broke off: ${failure}`);
  console.log(dryRun ? '\nDry run: nothing was written.' : `\nImport ${importId} is complete.`);
}

/** Shows how far the import is until the returned function is called. */
function watchProgress(client: Client, id: string): () => void {
  let shown = '';
  let isAsking = false;
  const show = async (): Promise<void> => {
    const { importProgress } = await client.run(ImportProgress, { id });
    if (!isWatching) return;
    const { phase, done, total } = importProgress;
    const line = `${phase} ${String(done)} of ${String(total)}`;
    if (line !== shown) console.error(line);
    shown = line;
  };
  let isWatching = true;
  const timer = setInterval(() => {
    if (isAsking) return;
    isAsking = true;
    // Only shown: the import itself tells what went wrong.
    void show()
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  }, PROGRESS_MILLIS);
  return () => {
    isWatching = false;
    clearInterval(timer);
  };
}

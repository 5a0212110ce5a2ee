import { randomUUID } from 'node:crypto';
import { Client } from './client.js';
import { Refusal } from './refusal.js';
import { commandFault, noticed, usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import { readDocument } from './document.js';
import { refuseFaults } from './refuse-faults.js';
import { IMPORT_PATH, refuseTooLarge } from './large-body.js';
import type { CommandLine, Options } from './options.js';
import { counted } from './plain.js';
import { readSimulation, type Ask, type Simulation } from './simulation-answer.js';
import { simulationReport } from './simulation-report.js';

/** `overgraph simulate <file>` */
export async function simulateCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const [file, ...others] = operands;
  if (file === undefined || others.length > 0) throw usageError('simulate takes one file');
  const connection = await connectionOf(options, env);
  const document = await readDocument(file);
  const client = await Client.login(connection);
  try {
    const changes = changesIn(document);
    const ask = changes ? aboutChanges(client, file, changes) : aboutImport(client, file, document);
    const simulation = await readSimulation(ask, options.all === true);
    const text = options.json ? JSON.stringify(simulation, null, 2) : simulationReport(simulation);
    console.log(text);
    refuseWider(simulation, options);
  } finally {
    await client.logout();
  }
}

/** A list of changes is the only member of its document; anything else is a network. */
function changesIn(document: unknown): readonly unknown[] | undefined {
  const { changes, ...others } = (document ?? {}) as { changes?: unknown };
  return Array.isArray(changes) && Object.keys(others).length === 0 ? changes : undefined;
}

function aboutChanges(client: Client, file: string, given: readonly unknown[]): Ask {
  const changes = given.map(withId);
  return async (selection) => {
    const query = `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) { ${selection} } }`;
    const { simulate } = await client
      .run<{ simulate: Simulation }>(query, { changes })
      .catch((error: unknown) => {
        throw withPlace(file, error);
      });
    return simulate;
  };
}

/** A refusal that names one of the changes is about the file. */
const withPlace = (file: string, error: unknown): unknown =>
  error instanceof Refusal && error.isAbout('changes')
    ? commandFault(`${file}: ${error.message}`)
    : error;

/** A created entity has the same id on every page of the answer. */
function withId(change: unknown): unknown {
  const isCreation = (change as { operation?: unknown } | null)?.operation === 'create';
  return isCreation ? { id: randomUUID(), ...(change as object) } : change;
}

interface Imported {
  readonly faultCount: number;
  readonly faults: readonly string[];
  readonly ignored: readonly string[];
  readonly simulation: Simulation | null;
}

function aboutImport(client: Client, file: string, document: unknown): Ask {
  return async (selection) => {
    const query = `query ($document: JSON!) {
      simulateImport(document: $document) { faultCount faults ignored simulation { ${selection} } }
    }`;
    refuseTooLarge(file, query, { document });
    const { simulateImport } = await client.run<{ simulateImport: Imported }>(
      query,
      { document },
      { path: IMPORT_PATH },
    );
    const { simulation, ...told } = simulateImport;
    refuseFaults(file, told);
    return simulation ?? {};
  };
}

/** For scripts: whether more may be reached than before, or what rules forbid. */
function refuseWider({ gained, violations }: Simulation, options: Options): void {
  const widens = gained.totalCount > 0 && options['allow-wider'] !== true;
  const found = [
    ...(widens ? [`access widens by ${counted(gained.totalCount, 'pair')}`] : []),
    ...(violations.length > 0 ? [`${counted(violations.length, 'access rule')} violated`] : []),
  ];
  if (found.length > 0) throw noticed(found.join('; '));
}

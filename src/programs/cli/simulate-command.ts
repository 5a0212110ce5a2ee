import { randomUUID } from 'node:crypto';
import {
  SimulateChanges,
  SimulateChangesPage,
  SimulateImport,
  SimulateImportPage,
  type ModelChangeInput,
} from '../emitted/operations.js';
import { Client } from './client.js';
import { Refusal } from './refusal.js';
import { commandFault, noticed, usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import { readDocument } from './document.js';
import { refuseFaults } from './refuse-faults.js';
import { IMPORT_PATH, refuseTooLarge } from './large-body.js';
import type { CommandLine, Options } from './options.js';
import { counted } from './plain.js';
import { readSimulation, type EffectReader, type Simulation } from './read-simulation.js';
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
    const reader = changes
      ? aboutChanges(client, file, changes)
      : aboutImport(client, file, document);
    const simulation = await readSimulation(reader, options.all === true);
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

function aboutChanges(client: Client, file: string, given: readonly unknown[]): EffectReader {
  // The controller checks them, and names the change at fault.
  const changes = given.map(withId) as readonly ModelChangeInput[];
  return {
    effect: async (page) =>
      (await client.run(SimulateChanges, { changes, ...page }).catch(refuseWithPlace(file)))
        .simulate,
    lists: async (page) => (await client.run(SimulateChangesPage, { changes, ...page })).simulate,
  };
}

/** A refusal that names one of the changes is about the file. */
const refuseWithPlace =
  (file: string) =>
  (error: unknown): never => {
    if (!(error instanceof Refusal) || !error.isAbout('changes')) throw error;
    throw commandFault(`${file}: ${error.message}`);
  };

/** A created entity has the same id on every page of the answer. */
function withId(change: unknown): unknown {
  const isCreation = (change as { operation?: unknown } | null)?.operation === 'create';
  return isCreation ? { id: randomUUID(), ...(change as object) } : change;
}

function aboutImport(client: Client, file: string, document: unknown): EffectReader {
  const sending = { path: IMPORT_PATH };
  return {
    async effect(page) {
      const variables = { document, ...page };
      refuseTooLarge(file, SimulateImport, variables);
      const { simulateImport } = await client.run(SimulateImport, variables, sending);
      const { simulation, ...faults } = simulateImport;
      refuseFaults(file, faults);
      return present(simulation);
    },
    async lists(page) {
      const variables = { document, ...page };
      const { simulateImport } = await client.run(SimulateImportPage, variables, sending);
      return present(simulateImport.simulation);
    },
  };
}

/** A document without faults has an effect. */
function present<Effect>(effect: Effect | null): Effect {
  if (effect === null) throw commandFault('the controller simulates no change of this document');
  return effect;
}

/** For scripts: whether more may be reached than before, or what rules forbid. */
function refuseWider(simulation: Simulation, options: Options): void {
  const { gained } = simulation;
  const violations = simulation.violations ?? [];
  const widens = gained.totalCount > 0 && options['allow-wider'] !== true;
  const found = [
    ...(widens ? [`access widens by ${counted(gained.totalCount, 'pair')}`] : []),
    ...(violations.length > 0 ? [`${counted(violations.length, 'access rule')} violated`] : []),
  ];
  if (found.length > 0) throw noticed(found.join('; '));
}

import type { InProcess } from '../../support/in-process.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';

export interface Count {
  readonly type: string;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly failed: number;
}

export interface Imported {
  readonly importId: string;
  readonly faultCount: number;
  readonly faults: readonly { readonly message: string }[];
  readonly ignored: readonly string[];
  readonly failure: string | null;
  readonly summary: readonly Count[];
  readonly entities: readonly { readonly type: string; readonly name: string; action: string }[];
}

export const IMPORT = `mutation ($document: JSON!, $dryRun: Boolean, $importId: ID) {
  importNetwork(document: $document, dryRun: $dryRun, importId: $importId) {
    importId dryRun faultCount ignored failure
    faults { section index name field reason message }
    summary { type created updated unchanged skipped failed }
    entities { type name action }
  }
}`;

/** Imports through the graph. */
export async function imported(
  network: InProcess,
  document: unknown,
  dryRun = false,
  ctx?: RequestContext,
): Promise<Imported> {
  const answer = await network.read<{ importNetwork: Imported }>(IMPORT, { document, dryRun }, ctx);
  return answer.importNetwork;
}

/** Imports a document that has to be without faults, to its end. */
export async function mustImport(network: InProcess, document: unknown): Promise<Imported> {
  const result = await imported(network, document);
  if (result.faultCount > 0) throw new Error(result.faults.map((f) => f.message).join('\n'));
  if (result.failure !== null) throw new Error(result.failure);
  return result;
}

/** Exports through the graph. */
export async function exported(
  network: InProcess,
  types?: readonly string[],
): Promise<Record<string, Record<string, unknown>[]>> {
  const text = 'query ($types: [String!]) { exportNetwork(types: $types) }';
  const answer = await network.read<{ exportNetwork: never }>(text, { types: types ?? null });
  return answer.exportNetwork;
}

/** How many entities met with each action, over all sections. */
export function totals({ summary }: Imported): Omit<Count, 'type'> {
  const sum = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
  for (const count of summary) {
    for (const action of Object.keys(sum) as (keyof typeof sum)[]) sum[action] += count[action];
  }
  return sum;
}

/** The action that an entity met with. */
export const actionFor = (result: Imported, type: string, name: string): string | undefined =>
  result.entities.find((entity) => entity.type === type && entity.name === name)?.action;

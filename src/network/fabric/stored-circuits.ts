import { circuits } from '../../data/rows/fabric/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { tagsOf, type Circuit } from './circuit.js';
import type { StateTable } from './state-store.js';

/** The circuits as the database has them. */
export const circuitsIn = (rows: Rows): Required<StateTable<Circuit>> => ({
  put: (some) =>
    circuits.put(
      rows,
      some.map((circuit) => ({ ...circuit, tags: tagsOf(circuit) })),
    ),
  remove: (some) => circuits.remove(rows, some),
});

/** The circuits of an earlier owner of the fabric. */
export interface EarlierCircuits {
  readonly live: readonly Circuit[];
  /** Their sessions ended meanwhile. */
  readonly ended: readonly Circuit[];
}

/** Reads all circuits. */
export async function readCircuits(rows: Rows): Promise<EarlierCircuits> {
  const stored = await circuits.all(rows);
  const ofState = (wanted: boolean): Circuit[] =>
    stored.flatMap(({ isLive, ...circuit }) =>
      isLive === wanted ? [{ ...circuit, instanceId: '' }] : [],
    );
  return { live: ofState(true), ended: ofState(false) };
}

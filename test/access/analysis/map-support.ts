import fc from 'fast-check';
import { accessMap, MIN_NODES, MAX_NODES } from '../../../src/access/analysis/index.js';
import type {
  AccessMap,
  AccessModel,
  MapQuery,
  MapStates,
  RowChange,
} from '../../../src/access/analysis/index.js';
import { Bitset, type PolicyIndex } from '../../../src/kernel/policy/index.js';
import { toEnd } from '../../../src/base/slices.js';

/** Maps of the random networks. */

export const one = (model: AccessModel): MapStates => ({ before: model, after: model });

export const mapOf = (states: MapStates, most = MAX_NODES, query: MapQuery = {}): AccessMap =>
  toEnd(accessMap(states, query, most));

/** Everything that clients see of a map. */
export const plain = ({ nodes, edges }: AccessMap): unknown => ({
  nodes: nodes.map(({ items, sideCounts, ...node }) => ({
    ...node,
    mergedCount: items.length,
    sideCounts: sideCounts && [...sideCounts],
  })),
  edges,
});

/** Numbers of nodes below, around and above those of the random networks. */
export const fewNodes = fc.integer({ min: MIN_NODES, max: 120 });

export const byBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

export const policyOf = (id: string, identities: string[], services: string[]) => ({
  id,
  type: 'Dial' as const,
  semantic: 'AnyOf' as const,
  roles: { identities, services, postureChecks: [] },
});

export const ordinals = (index: PolicyIndex, kind: 'identity' | 'service', ids: string[]): Bitset =>
  Bitset.of(ids.flatMap((id) => index.ordinalOf(kind, id) ?? []));

/** The last state of each row. */
export function lastRows(rows: readonly RowChange[]): Map<string, RowChange> {
  const last = new Map<string, RowChange>();
  for (const row of rows) last.set(`${row.kind} ${row.id}`, row);
  return last;
}

export const sumOf = ({ nodes }: Pick<AccessMap, 'nodes'>, kind: string): number =>
  nodes.filter((node) => node.kind === kind).reduce((sum, { count }) => sum + count, 0);

export function* networkMemberships(index: PolicyIndex): Generator<string> {
  for (const { id } of index.policies('servicePolicy')) {
    for (const ordinal of index.members('servicePolicy', id, 'identities'))
      yield `${id} ${ordinal}`;
  }
}

import type { FindingFacts, RowChange } from '../../../src/access/analysis/index.js';

type Attributes = Record<string, string[] | Assigned>;
/** Of its attributes, only role assignments give those in the second list. */
type Assigned = Record<'attributes' | 'assigned', string[]>;
type Policies = Record<string, Record<string, string | string[]>>;

/** A network as the truth tables write it: attributes by id, policies with their role lists. */
export type TableNetwork = Record<string, Attributes | Policies>;

const SIDES = ['identities', 'services', 'edgeRouters', 'postureChecks'];

export function rowsOf(network: TableNetwork): RowChange[] {
  return Object.entries(network).flatMap(([kind, rows]) =>
    Object.entries(rows).map(([id, row]) => {
      if (Array.isArray(row)) return { kind, id, value: { attributes: row } } as RowChange;
      if ('assigned' in row) return { kind, id, value: row } as unknown as RowChange;
      const { type, semantic, ...given } = row as Record<string, string | string[]>;
      const roles = Object.fromEntries(SIDES.map((side) => [side, given[side] ?? []]));
      return {
        kind,
        id,
        value: { ...(type && { type }), semantic, roles },
      } as unknown as RowChange;
    }),
  );
}

/** An identity with the attributes that assignments give it in a week, and when the first of its assignments ends. */
export type TableComing = [identityId: string, attributes: string[], firstEnd: string | null];

export const comingIn = (coming: readonly TableComing[] = []): FindingFacts['comingAttributes'] =>
  coming.map(([identityId, attributes, firstEnd]) => ({
    ...{ identityId, attributes },
    firstEnd: firstEnd === null ? null : new Date(firstEnd),
  }));

import { terminatorCosts, type StoredCost } from '../../data/rows/terminator/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import { currentCost, type CostTable, type StoredCosts } from './terminator-costs.js';

/** The costs of terminators from their circuits and failures, as the database has them. */
export const costsIn = (rows: Rows): CostTable => ({
  put: (costs) =>
    terminatorCosts.put(
      rows,
      costs.map(({ id, circuits, failures, at }) => ({
        ...{ terminatorId: id, circuits, failures: Math.round(failures), at: new Date(at) },
      })),
    ),
  remove: (costs) =>
    terminatorCosts.remove(
      rows,
      costs.map(({ id }) => id),
    ),
  take: async () => (await terminatorCosts.takeAll(rows)).map(costsOf),
});

const costsOf = ({ terminatorId, at, ...counts }: StoredCost): StoredCosts => ({
  id: terminatorId,
  ...counts,
  at: at.getTime(),
});

/** Reads what these terminators cost now, beside their own costs. */
export async function dynamicCostsOf(
  rows: Rows,
  ids: readonly string[],
  now: Date,
): Promise<number[]> {
  const stored = (await terminatorCosts.of(rows, ids)).map(costsOf);
  const costs = new Map(stored.map((each) => [each.id, currentCost(each, now)]));
  return ids.map((id) => costs.get(id) ?? 0);
}

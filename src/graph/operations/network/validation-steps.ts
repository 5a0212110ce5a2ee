import type { ValidationStep } from '../../../network/presence/index.js';

/** Nodes that are asked at the same time. */
const MAX_NODES = 10;
/** Terminators that are asked about at the same time. */
const MAX_TERMINATORS = 500;

/** The steps of a validation of nodes. */
export const stepsOfNodes = (ids: readonly string[]): ValidationStep[] =>
  slices(ids, MAX_NODES).map((nodeIds) => ({ nodeIds, names: [] }));

/** The steps of a validation of terminators, whose routers are asked. */
export function stepsOfTerminators(
  terminators: readonly { readonly id: string; readonly routerId: string }[],
): ValidationStep[] {
  const ofRouter = new Map<string, string[]>();
  for (const { id, routerId } of terminators) {
    const ids = ofRouter.get(routerId);
    if (ids) ids.push(id);
    else ofRouter.set(routerId, [id]);
  }
  const steps: ValidationStep[] = [];
  for (const [routerId, ids] of ofRouter) {
    for (const names of slices(ids, MAX_TERMINATORS)) addTo(steps, routerId, names);
  }
  return steps;
}

/** Adds a few terminators to the last step, as long as that stays small and has not asked their router yet. */
function addTo(steps: ValidationStep[], routerId: string, names: readonly string[]): void {
  const last = steps.at(-1);
  const fits =
    last &&
    last.nodeIds.length < MAX_NODES &&
    last.names.length + names.length <= MAX_TERMINATORS &&
    !last.nodeIds.includes(routerId);
  if (fits) steps.pop();
  const { nodeIds, names: others } = fits ? last : EMPTY;
  steps.push({ nodeIds: [...nodeIds, routerId], names: [...others, ...names] });
}

const EMPTY: ValidationStep = { nodeIds: [], names: [] };

function slices<T>(items: readonly T[], size: number): T[][] {
  const all: T[][] = [];
  for (let from = 0; from < items.length; from += size) all.push(items.slice(from, from + size));
  return all;
}

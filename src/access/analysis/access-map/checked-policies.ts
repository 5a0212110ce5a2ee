import { postureChecksOf } from '../reasons/granting-paths.js';
import type { AccessMap } from './access-map.js';
import type { MapNode } from './map-node.js';

/** Counts the policies of a node that need posture checks, in the later state in which they exist. */
export function countCheckedPolicies(
  { scope: { policies, states } }: AccessMap,
  { items }: MapNode,
): number {
  return items.filter((position) => {
    const { before, after } = policies[position] ?? {};
    const policy = after ?? before;
    return policy && postureChecksOf(after ? states.after : states.before, policy).length > 0;
  }).length;
}

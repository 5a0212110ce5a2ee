import { isClassKind, MapMembers } from '../../../src/access/analysis/index.js';
import type { AccessMap, MapEdge, MapNode } from '../../../src/access/analysis/index.js';
import type {
  AnyPolicyValue,
  EntityKind,
  PolicyKind,
  Side,
} from '../../../src/kernel/policy/index.js';
import { isMember, type Network } from '../../kernel/policy/network.js';
import { toEnd } from '../../../src/base/slices.js';

/** A map with the members of its nodes, and what it claims; and the same from the definitions. */

export interface ExpandedNode extends MapNode {
  readonly members: readonly string[];
}

export interface ExpandedMap {
  readonly nodes: readonly ExpandedNode[];
  readonly edges: readonly (MapEdge & {
    readonly classNode: ExpandedNode;
    readonly policyNode: ExpandedNode;
  })[];
}

const EVERYTHING = { count: 100_000, offset: 0, after: undefined };

export async function expanded(map: AccessMap): Promise<ExpandedMap> {
  const members = new MapMembers(map, (work) => Promise.resolve(toEnd(work)));
  const nodes = await Promise.all(
    map.nodes.map(async (node) => ({ ...node, members: await members.page(node, EVERYTHING) })),
  );
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  if (byKey.size !== nodes.length) throw new Error('two nodes have the same key');
  const nodeOf = (key: string): ExpandedNode => {
    const node = byKey.get(key);
    if (!node) throw new Error(`an edge names the key ${key} of no node`);
    return node;
  };
  return {
    nodes,
    edges: map.edges.map((edge) => ({
      ...edge,
      classNode: nodeOf(edge.classKey),
      policyNode: nodeOf(edge.policyKey),
    })),
  };
}

/** The states whose relation a map is asked for: of edges that are there before, or after. */
export type State = 'before' | 'after';
const GONE = { before: 'GAINED', after: 'LOST' } as const;

const SIDES: Readonly<Record<PolicyKind, readonly [Side, Side]>> = {
  servicePolicy: ['identities', 'services'],
  edgeRouterPolicy: ['identities', 'edgeRouters'],
  serviceEdgeRouterPolicy: ['services', 'edgeRouters'],
};

/** The pairs that complete edges claim in a state, as `kind type left right`. */
export function claims({ nodes, edges }: ExpandedMap, state: State): Set<string> {
  const pairs = new Set<string>();
  for (const policy of nodes) {
    if (isClassKind(policy.kind)) continue;
    const [left, right] = SIDES[policy.kind].map((side) =>
      edges
        .filter((edge) => edge.policyNode === policy && edge.side === side)
        .filter(({ isComplete, change }) => isComplete && change !== GONE[state])
        .flatMap(({ classNode }) => classNode.members),
    );
    for (const one of left ?? []) {
      for (const other of right ?? []) {
        pairs.add([policy.kind, policy.type, one, other].join(' '));
      }
    }
  }
  return pairs;
}

/** The pairs that policies join by definition, in the same form. */
export function pairsOf(
  network: Network,
  isWanted: (pair: WantedPair) => boolean = () => true,
): Set<string> {
  const pairs = new Set<string>();
  for (const [kind, [left, right]] of Object.entries(SIDES) as [PolicyKind, [Side, Side]][]) {
    for (const policy of network.policies[kind].values()) {
      for (const one of network.members(policy, kind, left)) {
        for (const other of network.members(policy, kind, right)) {
          if (!isWanted({ kind, type: policy.type, left: one, right: other })) continue;
          pairs.add([kind, policy.type, one, other].join(' '));
        }
      }
    }
  }
  return pairs;
}

export interface WantedPair {
  readonly kind: PolicyKind;
  readonly type: AnyPolicyValue['type'];
  readonly left: string;
  readonly right: string;
}

const SIDE_OF = { identity: 'identities', service: 'services', edgeRouter: 'edgeRouters' } as const;
export type Classified = keyof typeof SIDE_OF;
export const CLASSIFIED = Object.keys(SIDE_OF) as Classified[];

/** The policies of an entity by definition, as a text; undefined if there is no such entity. */
export function policiesText(
  network: Network,
  kind: EntityKind & Classified,
  id: string,
  isCounted: (kind: PolicyKind, policy: AnyPolicyValue) => boolean = () => true,
): string | undefined {
  const entity = network.entities[kind].get(id);
  if (!entity) return undefined;
  const side = SIDE_OF[kind];
  return (Object.keys(SIDES) as PolicyKind[])
    .filter((policyKind) => SIDES[policyKind].includes(side))
    .flatMap((policyKind) =>
      [...network.policies[policyKind].values()]
        .filter((policy) => isCounted(policyKind, policy) && isMember(policy, side, entity))
        .map((policy) => `${policyKind} ${String(policy.type)} ${policy.id}`),
    )
    .sort()
    .join('\n');
}

/** Ids in groups with equal texts, as sorted lists of sorted lists. */
export function groupedBy(ids: Iterable<string>, textOf: (id: string) => string): string[][] {
  const groups = new Map<string, string[]>();
  for (const id of ids) groups.set(textOf(id), [...(groups.get(textOf(id)) ?? []), id]);
  return inOrder([...groups.values()]);
}

export const inOrder = (groups: readonly (readonly string[])[]): string[][] =>
  groups.map((group) => [...group].sort()).sort((a, b) => (a.join() < b.join() ? -1 : 1));

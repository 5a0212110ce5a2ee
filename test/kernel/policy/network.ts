import fc from 'fast-check';
import {
  ENTITY_KINDS,
  POLICY_KINDS,
  POLICY_SIDES,
} from '../../../src/kernel/policy/policy-model.js';
import type {
  AnyPolicyValue,
  EntityKind,
  EntityValue,
  PolicyChange,
  PolicyKind,
  ServicePolicyType,
  Side,
} from '../../../src/kernel/policy/policy-model.js';

/** The plain truth of a small network, and answers worked out from the definitions alone. */
export class Network {
  readonly entities = byKind<EntityKind, EntityValue>(ENTITY_KINDS);
  readonly policies = byKind<PolicyKind, AnyPolicyValue>(POLICY_KINDS);

  static after(changes: readonly PolicyChange[]): Network {
    const network = new Network();
    for (const change of changes) network.apply(change);
    return network;
  }

  apply({ kind, id, value }: PolicyChange): void {
    const rows: Map<string, unknown> =
      kind in this.policies ? this.policies[kind as PolicyKind] : this.entities[kind as EntityKind];
    if (value === null) rows.delete(id);
    else rows.set(id, { ...value, id });
  }

  members(policy: AnyPolicyValue | undefined, kind: PolicyKind, side: Side): string[] {
    if (!policy) return [];
    return this.ids(sideKind(kind, side), (entity) => isMember(policy, side, entity));
  }

  policiesOf(kind: PolicyKind, side: Side, id: string): AnyPolicyValue[] {
    const entity = this.entities[sideKind(kind, side)].get(id);
    if (!entity) return [];
    return [...this.policies[kind].values()].filter((policy) => isMember(policy, side, entity));
  }

  /** The same by what is written on the policies, whether they are in force or not. */
  policiesNaming(kind: PolicyKind, side: Side, id: string): AnyPolicyValue[] {
    const entity = this.entities[sideKind(kind, side)].get(id);
    if (!entity) return [];
    return [...this.policies[kind].values()].filter((policy) =>
      isMember(written(policy), side, entity),
    );
  }

  /** What an entity of `from` reaches on the side `to` through policies of a kind. */
  reach(kind: PolicyKind, from: Side, id: string, to: Side, type?: ServicePolicyType): string[] {
    const policies = this.policiesOf(kind, from, id).filter((p) => !type || p.type === type);
    return this.ids(sideKind(kind, to), (e) => policies.some((p) => isMember(p, to, e)));
  }

  private ids(kind: EntityKind, isWanted: (entity: EntityValue) => boolean): string[] {
    return [...this.entities[kind].values()]
      .filter(isWanted)
      .map(({ id }) => id)
      .sort();
  }
}

/** The policy as it would be in force. */
export const written = (policy: AnyPolicyValue): AnyPolicyValue => ({
  ...policy,
  roles: policy.dormantRoles ?? policy.roles,
});

/** The change as if its policy were in force. */
export const asWritten = (change: PolicyChange): PolicyChange =>
  change.value && 'dormantRoles' in change.value
    ? ({ ...change, value: written({ id: change.id, ...change.value }) } as PolicyChange)
    : change;

export function isMember(policy: AnyPolicyValue, side: Side, entity: EntityValue): boolean {
  const roles = policy.roles[side] ?? [];
  const named = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1));
  const holds = (attribute: string): boolean => entity.attributes.includes(attribute);
  const isDirect = roles.includes(`@${entity.id}`) || named.includes('all');
  return (
    (isDirect && entity.onceApproved === undefined) ||
    (named.length > 0 && (policy.semantic === 'AllOf' ? named.every(holds) : named.some(holds)))
  );
}

export function sideKind(kind: PolicyKind, side: Side): EntityKind {
  const sides: Partial<Record<Side, EntityKind>> = POLICY_SIDES[kind];
  return sides[side] ?? 'identity';
}

/** Every kind of policy with each of its sides. */
export const ALL_SIDES = POLICY_KINDS.flatMap((kind) =>
  (Object.keys(POLICY_SIDES[kind]) as Side[]).map((side) => ({ kind, side })),
);

/** The same ids occur in every kind, so that confusing kinds is noticed. */
export const ENTITY_IDS = ['e0', 'e1', 'e2', 'e3', 'e4', 'e5'];
const POLICY_IDS = ['p0', 'p1', 'p2', 'p3'];
const NAMES = ['a', 'b', 'c', 'd', 'pending', 'all but', 'é "x", {y} \\'];

const attributes = fc.subarray([...NAMES, 'all', '']);
const roles = fc.oneof(
  { weight: 1, arbitrary: fc.constant(['#all']) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.subarray(NAMES, { maxLength: 3 }),
        fc.oneof(fc.constant([]), fc.subarray([...ENTITY_IDS, 'nobody'], { maxLength: 2 })),
      )
      .map(([named, ids]) => [...named.map((n) => `#${n}`), ...ids.map((id) => `@${id}`)]),
  },
);
const semantic = fc.constantFrom('AllOf' as const, 'AnyOf' as const);
const policyId = fc.constantFrom(...POLICY_IDS);
const revision = fc.constant(0);
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 4 });

const NO_ROLES = { identities: [], services: [], postureChecks: [] };

/** The roles of a service policy that is not in force. */
const outOf = <R>({ roles: dormantRoles }: { readonly roles: R }) => ({
  roles: NO_ROLES,
  dormantRoles,
});

/** An entity of a kind with these attributes; only identities can be pending. */
const entityWith = (kind: EntityKind, held: readonly string[], isPending: boolean) =>
  isPending && kind === 'identity'
    ? { attributes: ['pending'], onceApproved: { attributes: held } }
    : { attributes: held };

const entityChange = fc
  .record({
    kind: fc.constantFrom(...ENTITY_KINDS),
    id: fc.constantFrom(...ENTITY_IDS),
    revision,
    value: orNull(fc.record({ attributes })),
    isPending: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
  })
  .map(({ isPending, value, ...made }) => ({
    ...made,
    value: value && entityWith(made.kind, value.attributes, isPending),
  }));

/** A change of any kind, all with revision 0. */
const change: fc.Arbitrary<PolicyChange> = fc.oneof(
  {
    weight: 4,
    arbitrary: entityChange,
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('servicePolicy' as const),
      id: policyId,
      revision,
      value: orNull(
        fc
          .record({
            semantic,
            type: fc.constantFrom('Dial' as const, 'Bind' as const),
            roles: fc.record({ identities: roles, services: roles, postureChecks: roles }),
            isInForce: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()),
          })
          .map(({ isInForce, ...value }) => (isInForce ? value : { ...value, ...outOf(value) })),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('edgeRouterPolicy' as const),
      id: policyId,
      revision,
      value: orNull(
        fc.record({ semantic, roles: fc.record({ identities: roles, edgeRouters: roles }) }),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('serviceEdgeRouterPolicy' as const),
      id: policyId,
      revision,
      value: orNull(
        fc.record({ semantic, roles: fc.record({ services: roles, edgeRouters: roles }) }),
      ),
    }),
  },
);

/** A history of a small network, with revisions that grow from change to change. */
export const history: fc.Arbitrary<PolicyChange[]> = fc
  .array(change, { minLength: 10, maxLength: 70, size: 'max' })
  .map((changes) => changes.map((made, i) => ({ ...made, revision: i })));

function byKind<K extends string, V>(kinds: readonly K[]): Record<K, Map<string, V>> {
  return Object.fromEntries(kinds.map((kind) => [kind, new Map<string, V>()])) as Record<
    K,
    Map<string, V>
  >;
}

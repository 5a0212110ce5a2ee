import { byteSorted } from '../../base/byte-order.js';
import type { EntitySet } from './entity-set.js';
import { writtenSides } from './policy-model.js';
import type { EntityKind, IndexedPolicy, PolicyKind, Side } from './policy-model.js';

/** The uses of an attribute: entities that have it, and policies with the role `#attribute`. */
export interface AttributeUsage {
  readonly roleAttribute: string;
  /** By collection, e.g. `identities` or `servicePolicies`; `ids` (in byte order) on request. */
  readonly usage: Readonly<
    Record<string, { readonly count: number; readonly ids: string[] | null }>
  >;
}

/** The policies of one kind, and the side whose roles name the attributes. */
export interface PolicySource {
  readonly kind: PolicyKind;
  readonly side: Side;
  readonly policies: Iterable<IndexedPolicy>;
}

const ENTITY_COLLECTIONS = {
  identity: 'identities',
  service: 'services',
  edgeRouter: 'edgeRouters',
  postureCheck: 'postureChecks',
} as const satisfies Record<EntityKind, string>;

const POLICY_COLLECTIONS = {
  servicePolicy: 'servicePolicies',
  edgeRouterPolicy: 'edgeRouterPolicies',
  serviceEdgeRouterPolicy: 'serviceEdgeRouterPolicies',
} as const satisfies Record<PolicyKind, string>;

/** The usage of every attribute of a kind of entities, in byte order of the attributes. */
export function attributeUsage(
  kind: EntityKind,
  entities: EntitySet,
  sources: readonly PolicySource[],
  withIds: boolean,
): AttributeUsage[] {
  const naming = sources.map((source) => ({
    collection: POLICY_COLLECTIONS[source.kind],
    ids: policyIdsByAttribute(source),
  }));
  const names = byteSorted([
    ...entities.attributesInUse(),
    ...naming.flatMap(({ ids }) => [...ids.keys()]),
  ]);
  return names.map((roleAttribute) => ({
    roleAttribute,
    usage: {
      [ENTITY_COLLECTIONS[kind]]: {
        count: entities.holderCount(roleAttribute),
        ids: withIds ? byteSorted(entities.holderIds(roleAttribute)) : null,
      },
      ...Object.fromEntries(
        naming.map(({ collection, ids: byAttribute }) => {
          const ids = byAttribute.get(roleAttribute) ?? [];
          return [collection, { count: ids.length, ids: withIds ? byteSorted(ids) : null }];
        }),
      ),
    },
  }));
}

function policyIdsByAttribute({ side, policies }: PolicySource): Map<string, string[]> {
  const idsByAttribute = new Map<string, string[]>();
  for (const policy of policies) {
    const { id } = policy;
    for (const attribute of new Set(writtenSides(policy)[side]?.attributes)) {
      const ids = idsByAttribute.get(attribute);
      if (ids) ids.push(id);
      else idsByAttribute.set(attribute, [id]);
    }
  }
  return idsByAttribute;
}

import { reachSizes } from '../../access/analysis/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { lowerFirst, upperFirst, snakeCase } from '../../base/names.js';
import type { Relation } from '../../kernel/declare/resource.js';
import { attributeOf } from '../../kernel/declare/rows.js';
import { textsOf } from '../../base/row.js';
import { column, LargeValue, raw, sql, TRUE } from '../../base/sql.js';
import {
  EFFECTIVE_SOURCES,
  entityOf,
  memberOf,
  memberPredicate,
  parseRoles,
  POLICY_SIDES,
  policyContains,
  selectedBy,
  unionPredicate,
  type Access,
  type EntityKind,
  type EntityRows,
  type PolicyIndex,
  type PolicyKind,
  type Semantic,
  type ServicePolicyType,
  type Side,
  type SideOf,
} from '../../kernel/policy/index.js';
import { toEnd } from '../../base/slices.js';

/*
 * All relations by role lists. They are not stored: pages are SQL over role attributes, unfiltered
 * totals come from the model index, and filters over linked sets join by membership.
 */

const rolesAttribute = (side: Side): string =>
  ({
    identities: 'identityRoles',
    services: 'serviceRoles',
    edgeRouters: 'edgeRouterRoles',
    postureChecks: 'postureCheckRoles',
  })[side];

const rolesColumn = (side: Side): string => snakeCase(rolesAttribute(side));

const resourceOfSide = (side: Side) =>
  (
    ({
      identities: 'Identity',
      services: 'Service',
      edgeRouters: 'EdgeRouter',
      postureChecks: 'PostureCheck',
    }) as const
  )[side];

/** The rows of the entities of a side in a statement. */
function rowsOf(side: Side, alias: string): EntityRows {
  return { kind: lowerFirst(resourceOfSide(side)) as EntityKind, alias };
}

type Parents = EntityKind | PolicyKind;

/** The sizes of one relation, at one version of the index. */
interface Sizes {
  readonly version: number;
  readonly json: LargeValue;
}

/**
 * Gives the size of a relation for each of its parents, computed once for each version of the index.
 */
function sizesOf(
  sizesIn: (index: PolicyIndex) => Readonly<Record<string, number>>,
): (ctx: RequestContext) => LargeValue {
  const cache = new WeakMap<PolicyIndex, Sizes>();
  return (ctx) => {
    const index = ctx.modules.policy;
    const cachedSizes = cache.get(index);
    if (cachedSizes?.version === index.version) return cachedSizes.json;
    const json = new LargeValue(JSON.stringify(sizesIn(index)));
    cache.set(index, { version: index.version, json });
    return json;
  };
}

const ofEach =
  (parents: Parents, sizeOf: (index: PolicyIndex, id: string) => number) =>
  (index: PolicyIndex): Record<string, number> =>
    Object.fromEntries([...index.ids(parents)].map((id) => [id, sizeOf(index, id)]));

/** The members of one side of a policy. */
function membersOf<K extends PolicyKind>(kind: K, side: SideOf<K>): Relation {
  const roles = rolesAttribute(side);
  return {
    name: side,
    target: resourceOfSide(side),
    description: `The ${side} that \`${roles}\` selects.`,
    needs: [roles, 'semantic'],
    filterable: kind === 'servicePolicy' && side !== 'postureChecks',
    scope: (parent, ctx) => ({
      predicate: (alias) =>
        memberPredicate(
          {
            roles: parseRoles(textsOf(attributeOf(parent, roles))),
            semantic: attributeOf(parent, 'semantic') as Semantic,
          },
          rowsOf(side, alias),
        ),
      total: () => ctx.modules.policy.memberCount(kind, parent.id, side),
    }),
    sizes: sizesOf(ofEach(kind, (index, id) => index.memberCount(kind, id, side))),
    link: (outer, inner) => memberOf(outer, rolesColumn(side), rowsOf(side, inner)),
  };
}

const policiesName = (kind: PolicyKind): string => kind.replace(/y$/, 'ies');

/** The policies of one kind that select an entity on one of their sides. */
function policiesOf<K extends PolicyKind>(kind: K, side: SideOf<K>): Relation {
  return {
    name: policiesName(kind),
    target: upperFirst(kind),
    description: `The policies of this kind that select it by id, by attribute or by \`#all\`.`,
    needs: selectedBy(kind, side) === 'identity' ? EFFECTIVE_SOURCES : ['roleAttributes'],
    scope: (parent, ctx) => ({
      predicate: (alias) => policyContains(alias, rolesColumn(side), entityOf(parent)),
      total: () => ctx.modules.policy.policyCountOf(kind, side, parent.id),
    }),
    sizes: sizesOf(
      ofEach(selectedBy(kind, side), (index, id) => index.policyCountOf(kind, side, id)),
    ),
    link: (outer, inner) => memberOf(inner, rolesColumn(side), rowsOf(side, outer)),
  };
}

interface AccessRelation {
  readonly name: string;
  readonly via: PolicyKind;
  readonly from: Side;
  readonly to: Side;
  readonly description: string;
  readonly access: (index: PolicyIndex, id: string, type?: ServicePolicyType) => Access;
}

/** The entities on the other side of the policies that an entity is in. */
function accessTo(relation: AccessRelation): Relation {
  const { name, via, from, to, description, access } = relation;
  const isTyped = via === 'servicePolicy';
  const accessOf = (index: PolicyIndex, id: string, type: string | undefined): Access =>
    access(index, id, type === 'Dial' || type === 'Bind' ? type : undefined);
  return {
    name,
    target: resourceOfSide(to),
    description,
    byAccessType: isTyped,
    scope: (parent, ctx, type) => {
      const reached = accessOf(ctx.modules.policy, parent.id, type);
      return {
        predicate: (alias) => unionPredicate(reached.sides, rowsOf(to, alias)),
        total: () => reached.count(),
      };
    },
    sizes: sizesOf((index) => toEnd(reachSizes(index, via, from, to))),
    link: (outer, inner) => {
      const policy = `${inner}_p`;
      const isInForce = isTyped ? column(policy, 'is_in_force') : TRUE;
      return sql`exists (select 1 from ${raw(`"${snakeCase(via)}" "${policy}"`)}
        where ${isInForce} and ${memberOf(policy, rolesColumn(from), rowsOf(from, outer))}
          and ${memberOf(policy, rolesColumn(to), rowsOf(to, inner))})`;
    },
  };
}

/** Every relation that policies make between resources, by the name of the resource. */
export function policyRelations(): Map<string, Relation[]> {
  const relations = new Map<string, Relation[]>();
  const add = (resource: string, relation: Relation): void => {
    relations.set(resource, [...(relations.get(resource) ?? []), relation]);
  };
  for (const kind of Object.keys(POLICY_SIDES) as PolicyKind[]) {
    for (const side of Object.keys(POLICY_SIDES[kind]) as SideOf<typeof kind>[]) {
      add(upperFirst(kind), membersOf(kind, side));
      add(resourceOfSide(side), policiesOf(kind, side));
    }
  }
  for (const [resource, relation] of ACCESS) add(resource, accessTo(relation));
  add('EdgeRouter', servicePoliciesOfRouter);
  return relations;
}

const CARRIED = rowsOf('services', 'carried');

/** No policy joins the two: the link is a service that the router may carry. */
const servicePoliciesOfRouter: Relation = {
  name: 'servicePolicies',
  target: 'ServicePolicy',
  description: 'The service policies that select a service it may carry.',
  scope: (parent, ctx) => {
    const { sides } = ctx.modules.policy.servicesOfRouter(parent.id);
    return {
      predicate: (alias) => sql`exists (select 1 from "service" "carried"
        where ${unionPredicate(sides, CARRIED)} and ${memberOf(alias, rolesColumn('services'), CARRIED)})`,
    };
  },
};

const ACCESS: readonly (readonly [string, AccessRelation])[] = [
  [
    'Identity',
    {
      name: 'services',
      via: 'servicePolicy',
      from: 'identities',
      to: 'services',
      description: 'The services it may dial or bind.',
      access: (index, id, type) => index.accessibleServices(id, type),
    },
  ],
  [
    'Identity',
    {
      name: 'edgeRouters',
      via: 'edgeRouterPolicy',
      from: 'identities',
      to: 'edgeRouters',
      description: 'The edge routers it may use.',
      access: (index, id) => index.routersOfIdentity(id),
    },
  ],
  [
    'Service',
    {
      name: 'identities',
      via: 'servicePolicy',
      from: 'services',
      to: 'identities',
      description: 'The identities that may dial or bind it.',
      access: (index, id, type) => index.accessingIdentities(id, type),
    },
  ],
  [
    'Service',
    {
      name: 'edgeRouters',
      via: 'serviceEdgeRouterPolicy',
      from: 'services',
      to: 'edgeRouters',
      description: 'The edge routers that may carry it.',
      access: (index, id) => index.routersOfService(id),
    },
  ],
  [
    'EdgeRouter',
    {
      name: 'identities',
      via: 'edgeRouterPolicy',
      from: 'edgeRouters',
      to: 'identities',
      description: 'The identities that may use it.',
      access: (index, id) => index.identitiesOfRouter(id),
    },
  ],
  [
    'EdgeRouter',
    {
      name: 'services',
      via: 'serviceEdgeRouterPolicy',
      from: 'edgeRouters',
      to: 'services',
      description: 'The services that may be carried over it.',
      access: (index, id) => index.servicesOfRouter(id),
    },
  ],
];

import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import {
  DEFAULT_NODES,
  MIN_NODES,
  MAX_EDGES,
  MAX_NODES,
  POINT,
  type MapChange,
  type MapSide,
  type ModelChange,
} from '../../../access/analysis/index.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { connectionType } from '../../../kernel/graph/list-types.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { ACCESS } from './access-types.js';
import { AccessWhere } from './accesses-types.js';
import { ModelChangeInput, ModelType } from './what-if-types.js';

/*
 * Types of the map of access. Nodes have a `key` and no `id`: their content depends on the question,
 * and caches of clients take objects with equal ids for one object.
 */

const AccessMapSide = enumOf(
  'AccessMapSide',
  {
    identities: 'The identities of a service policy or an edge router policy.',
    services: 'The services of a service policy or a service edge router policy.',
    edgeRouters: 'The routers of an edge router policy or a service edge router policy.',
  } satisfies Record<MapSide, string>,
  'A side of a policy.',
);

const AccessMapChange = enumOf(
  'AccessMapChange',
  {
    KEPT: 'It is there before and after the changes.',
    GAINED: 'It is there only after the changes.',
    LOST: 'It is there only before the changes.',
  } satisfies Record<MapChange, string>,
  'The effect of simulated changes on a part of the map.',
);

@ObjectType({
  description: 'An identity, a service, an edge router or a policy in a node of the map.',
  simpleResolvers: true,
})
export class AccessMapMember {
  @Field(ModelType, { description: 'The kind of entity.' })
  kind!: string;

  @Field(() => ID, { description: 'Its id.' })
  entityId!: string;
}

@ObjectType({
  description: 'The node of the map that an entity or a policy is in.',
  simpleResolvers: true,
})
export class AccessMapPlace {
  @Field(ModelType, { description: 'The kind of entity: ids of other kinds may be equal.' })
  kind!: string;

  @Field(() => ID, { description: 'Its id.' })
  entityId!: string;

  @Field(() => ID, { description: 'The `key` of the node.' })
  key!: string;
}

export const AccessMapMemberConnection = connectionType('AccessMapMember', () => AccessMapMember);

@ObjectType({
  description:
    'A class of identities that are in exactly the same service policies and edge router policies, of services in the same service policies and service edge router policies, or of edge routers in the same policies of both kinds for routers; or a policy. A class may be in no policy at all. Posture checks do not count. Several classes, or several policies, may be merged into one node.',
  simpleResolvers: true,
})
export class AccessMapNode {
  @Field(() => ID, {
    description:
      'Depends on the policies of its members alone: it stays the same while members come and go. That of a merged node depends on what it is merged by.',
  })
  key!: string;

  @Field(ModelType, { description: 'The kind of its members.' })
  kind!: string;

  @Field(() => Int, { description: 'Number of its members.' })
  count!: number;

  @Field(() => Boolean, { description: 'Whether several classes or policies are merged in it.' })
  isMerged!: boolean;

  @Field(() => Int, { description: 'Number of classes or policies in it; 1 unless merged.' })
  mergedCount!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'The role attribute by which it was merged: all its entities hold it, or all its policies name it.',
  })
  roleAttribute!: string | null;

  @Field(ACCESS, {
    nullable: true,
    description: 'Dialing or hosting; null unless service policies.',
  })
  type!: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Of policies: number of identities that at least one of them selects, after the changes unless they delete it. Null if they select none of the kind, and for classes.',
  })
  identityCount!: number | null;

  @Field(() => Int, { nullable: true, description: 'The same for services.' })
  serviceCount!: number | null;

  @Field(() => Int, { nullable: true, description: 'The same for edge routers.' })
  edgeRouterCount!: number | null;

  @Field(() => Boolean, {
    description: 'Of policies: whether a side selects nothing, so that it joins nothing.',
  })
  isEmpty!: boolean;

  @Field(() => AccessMapChange, {
    nullable: true,
    description: 'The effect of the changes on its members; null without `changes`.',
  })
  change!: string | null;
}

@ObjectType({
  description:
    'Members of a class that a policy selects on a side. Of a policy with complete edges on both sides, every member of the one class has the access to every member of the other. Together the edges of an unmerged map are exactly the access.',
  simpleResolvers: true,
})
class AccessMapEdge {
  @Field(() => ID, { description: 'Key of the node of the class.' })
  classKey!: string;

  @Field(() => ID, { description: 'Key of the node of the policy.' })
  policyKey!: string;

  @Field(() => AccessMapSide, { description: 'The side of the policy.' })
  side!: string;

  @Field(ACCESS, {
    nullable: true,
    description: 'Dialing or hosting; null for policies of routers.',
  })
  type!: string | null;

  @Field(() => Int, {
    description: 'Number of members that at least one of the merged policies selects.',
  })
  count!: number;

  @Field(() => Boolean, {
    description:
      'Whether each of the merged policies selects each of the members. Otherwise some select some of them, which proves no access. Always true between nodes that are not merged.',
  })
  isComplete!: boolean;

  @Field(() => AccessMapChange, {
    nullable: true,
    description:
      'Whether the policies select the members before the changes, after them, or both; null without `changes`. Merged nodes may have an edge for each.',
  })
  change!: string | null;
}

@ObjectType({
  description: 'The policies of the network as a graph of classes and policies, for a picture.',
  simpleResolvers: true,
})
export class AccessMap {
  @Field(() => [AccessMapNode], {
    description:
      'Classes of identities, services and edge routers, then policies; large ones first.',
  })
  nodes!: readonly AccessMapNode[];

  @Field(() => [AccessMapEdge], {
    description: `The edges between classes and policies, at most ${String(MAX_EDGES)}: with more, more is merged.`,
  })
  edges!: readonly AccessMapEdge[];

  @Field(() => Boolean, { description: 'Whether any nodes are merged.' })
  isMerged!: boolean;

  @Field(() => Int, { description: 'Number of identities in all nodes.' })
  identityCount!: number;

  @Field(() => Int, { description: 'Number of services in all nodes.' })
  serviceCount!: number;

  @Field(() => Int, { description: 'Number of edge routers in all nodes.' })
  edgeRouterCount!: number;

  @Field(() => Int, {
    description: 'Number of policies in all nodes. A policy that changes its type counts twice.',
  })
  policyCount!: number;

  @Field(() => Int, { description: 'Number of classes of identities before they are merged.' })
  identityClassCount!: number;

  @Field(() => Int, { description: 'Number of classes of services before they are merged.' })
  serviceClassCount!: number;

  @Field(() => Int, { description: 'Number of classes of edge routers before they are merged.' })
  edgeRouterClassCount!: number;
}

const CONDITIONS =
  'A condition leaves out the other identities or services, and the policies that select none of those that are left. Conditions apply to the present state, so that entities that `changes` create match none.';

@ArgsType()
export class AccessMapArgs {
  @Field(ACCESS, {
    nullable: true,
    description: 'Only service policies of this kind of access; policies of routers stay.',
  })
  type?: ServicePolicyType | null;

  @Field(() => AccessWhere, {
    nullable: true,
    description: `Only identities and services that match. ${CONDITIONS}`,
  })
  where?: AccessWhere | null;

  @Field(() => String, {
    nullable: true,
    description: 'Condition on identities in the filter language: `tags.team = "sea"`.',
  })
  identityFilter?: string | null;

  @Field(() => String, { nullable: true, description: 'The same on services.' })
  serviceFilter?: string | null;

  @Field(() => String, { nullable: true, description: `The point in the past: ${POINT}.` })
  at?: string | null;

  @Field(() => [ModelChangeInput], {
    nullable: true,
    description:
      'Simulated changes, at most 1,000, as `simulate` takes them. Classes are then formed by the policies before and after them. Not together with `at`.',
  })
  changes?: ModelChange[] | null;

  @Field(() => Int, {
    defaultValue: DEFAULT_NODES,
    description: `The largest number of nodes, from ${String(MIN_NODES)} to ${String(MAX_NODES)}. With more classes and policies, the small ones are merged by role attributes.`,
  })
  maxNodes!: number;
}

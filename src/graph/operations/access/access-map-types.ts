import { ArgsType, Field, Int } from 'type-graphql';
import {
  AccessMapEdge,
  DEFAULT_NODES,
  MAP_CHANGE,
  MAX_EDGES,
  MAX_NODES,
  MIN_NODES,
  POINT,
  type MapChange,
  type ModelChange,
} from '../../../access/analysis/index.js';
import {
  attribute,
  bool,
  described,
  id,
  int,
  objects,
  text,
} from '../../../kernel/declare/attribute.js';
import { ACCESS_TYPE } from '../../../kernel/declare/resource.js';
import { connectionOf } from '../../../kernel/graph/list-types.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { ACCESS } from './access-types.js';
import { AccessWhere } from './accesses-types.js';
import { MODEL_TYPE, ModelChangeInput } from './what-if-types.js';

/*
 * Types of the map of access. Nodes have a `key` and no `id`: their content depends on the question,
 * and caches of clients take objects with equal ids for one object.
 */

@described('An identity, a service, an edge router or a policy in a node of the map.')
export class AccessMapMember {
  @attribute(MODEL_TYPE, { description: 'The kind of entity.' })
  readonly kind!: string;

  @attribute(id(), { description: 'Its id.' })
  readonly entityId!: string;
}

@described('The node of the map that an entity or a policy is in.')
export class AccessMapPlace {
  @attribute(MODEL_TYPE, { description: 'The kind of entity: ids of other kinds may be equal.' })
  readonly kind!: string;

  @attribute(id(), { description: 'Its id.' })
  readonly entityId!: string;

  @attribute(id(), { description: 'The `key` of the node.' })
  readonly key!: string;
}

export const AccessMapMemberConnection = connectionOf(AccessMapMember);

@described(
  'A class of identities that are in exactly the same service policies and edge router policies, of services in the same service policies and service edge router policies, or of edge routers in the same policies of both kinds for routers; or a policy. A class may be in no policy at all. Posture checks do not count. Several classes, or several policies, may be merged into one node.',
)
export class AccessMapNode {
  @attribute(id(), {
    description:
      'Depends on the policies of its members alone: it stays the same while members come and go. That of a merged node depends on what it is merged by.',
  })
  readonly key!: string;

  @attribute(MODEL_TYPE, { description: 'The kind of its members.' })
  readonly kind!: string;

  @attribute(int(), { description: 'Number of its members.' })
  readonly count!: number;

  @attribute(bool(), { description: 'Whether several classes or policies are merged in it.' })
  readonly isMerged!: boolean;

  @attribute(int(), { description: 'Number of classes or policies in it; 1 unless merged.' })
  readonly mergedCount!: number;

  @attribute(text(), {
    nullable: true,
    description:
      'The role attribute by which it was merged: all its entities hold it, or all its policies name it.',
  })
  readonly roleAttribute!: string | null;

  @attribute(ACCESS_TYPE, {
    nullable: true,
    description: 'Dialing or hosting; null unless service policies.',
  })
  readonly type!: ServicePolicyType | null;

  @attribute(int(), {
    nullable: true,
    description:
      'Of policies: number of identities that at least one of them selects, after the changes unless they delete it. Null if they select none of the kind, and for classes.',
  })
  readonly identityCount!: number | null;

  @attribute(int(), { nullable: true, description: 'The same for services.' })
  readonly serviceCount!: number | null;

  @attribute(int(), { nullable: true, description: 'The same for edge routers.' })
  readonly edgeRouterCount!: number | null;

  @attribute(bool(), {
    description: 'Of policies: whether a side selects nothing, so that it joins nothing.',
  })
  readonly isEmpty!: boolean;

  @attribute(MAP_CHANGE, {
    nullable: true,
    description: 'The effect of the changes on its members; null without `changes`.',
  })
  readonly change!: MapChange | null;
}

@described('The policies of the network as a graph of classes and policies, for a picture.')
export class AccessMap {
  @attribute(objects(() => AccessMapNode), {
    description:
      'Classes of identities, services and edge routers, then policies; large ones first.',
  })
  readonly nodes!: readonly AccessMapNode[];

  @attribute(objects(() => AccessMapEdge), {
    description: `The edges between classes and policies, at most ${String(MAX_EDGES)}: with more, more is merged.`,
  })
  readonly edges!: readonly AccessMapEdge[];

  @attribute(bool(), { description: 'Whether any nodes are merged.' })
  readonly isMerged!: boolean;

  @attribute(int(), { description: 'Number of identities in all nodes.' })
  readonly identityCount!: number;

  @attribute(int(), { description: 'Number of services in all nodes.' })
  readonly serviceCount!: number;

  @attribute(int(), { description: 'Number of edge routers in all nodes.' })
  readonly edgeRouterCount!: number;

  @attribute(int(), {
    description: 'Number of policies in all nodes. A policy that changes its type counts twice.',
  })
  readonly policyCount!: number;

  @attribute(int(), { description: 'Number of classes of identities before they are merged.' })
  readonly identityClassCount!: number;

  @attribute(int(), { description: 'Number of classes of services before they are merged.' })
  readonly serviceClassCount!: number;

  @attribute(int(), { description: 'Number of classes of edge routers before they are merged.' })
  readonly edgeRouterClassCount!: number;
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

  @Field(() => String, { nullable: true, description: `The point in time: ${POINT}.` })
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

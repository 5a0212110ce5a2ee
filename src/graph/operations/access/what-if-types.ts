import { GraphQLJSON } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import type { FindingKind, Severity, ModelChange } from '../../../access/analysis/index.js';
import { kebabCase, upperFirst } from '../../../base/names.js';
import { catalog } from '../../../resources/index.js';
import {
  attribute,
  described,
  id,
  int,
  map,
  object,
  objects,
  oneOf,
  text,
} from '../../../kernel/declare/attribute.js';
import type { JsonObject } from '../../../base/row.js';
import { ACCESS_TYPE } from '../../../kernel/declare/resource.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { connectionType } from '../../../kernel/graph/list-types.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';

/** Types of simulated changes, their effects, and findings. */

export const GAINED = 'Number of pairs of an identity and a service that would gain access';
export const LOST = 'Number of pairs that would lose access';

const OPERATION = oneOf<ModelChange['operation']>(
  'WhatIfOperation',
  {
    create: 'A new entity, as by POST.',
    replace: 'All attributes of one, as by PUT.',
    update: 'Some attributes of one, as by PATCH.',
    delete: 'Deletes one, as by DELETE.',
  },
  'The operation on an entity.',
);
export const WhatIfOperation = outputType(OPERATION);

/** The kinds that declare it: name -> `Edge routers.` */
const draftedKinds = (): Record<string, string> =>
  Object.fromEntries(
    [...catalog.all()]
      .filter(({ options }) => options.isDrafted === true)
      .map(({ single, options }) => [
        single,
        `${upperFirst(kebabCase(options.plural).replaceAll('-', ' '))}.`,
      ]),
  );

const MODEL_TYPE = oneOf(
  'ModelType',
  draftedKinds(),
  'The kinds of entities that lists of changes may contain: those that decide access and logins, and configs.',
);
export const ModelType = outputType(MODEL_TYPE);

export const FINDING_KIND = oneOf<FindingKind>(
  'FindingKind',
  {
    ACCESS_RULE_VIOLATED: 'An access rule does not hold.',
    UNVERIFIED_AUTHORITY: 'A certificate authority is in use without being verified.',
    ADMIN_WITHOUT_SECOND_FACTOR: 'An administrator logs in without a second factor.',
    OVERBROAD_POLICY: 'A policy has `#all` on a side.',
    ACCESS_RULE_MATCHES_NOTHING: 'A side of the access rule matches no entity.',
    UNUSED_POSTURE_CHECK: 'No service policy requires the posture check.',
    IDENTITY_WITHOUT_ROUTER: 'An identity has services and no edge router.',
    SERVICE_NOBODY_DIALS: 'No identity may dial the service.',
    SERVICE_NOBODY_HOSTS: 'No identity may host the service.',
    POLICY_GRANTS_NOTHING: 'A side of the policy matches no entity.',
    ROLE_MATCHES_NOTHING: 'A role matches no entity.',
    DUPLICATE_POLICY:
      'Another policy grants exactly the same on the same posture checks, whatever entities there are. Of equal policies one stays without a finding: one of the controller, else the first by its id.',
    SHADOWED_POLICY:
      'Another policy grants all that this one grants, and more or on fewer posture checks, whatever entities there are. The other one is not shadowed itself.',
    POLICY_REDUNDANT_TODAY:
      'Another policy grants all that this one grants, with the present entities.',
    POLICY_COVERED_TODAY:
      'Several policies together grant all that this one grants, with the present entities.',
    NEAR_DUPLICATE_ATTRIBUTE: 'Two attributes differ by a letter or by case.',
    ATTRIBUTE_USED_ONCE: 'Only one entity has the attribute, and no policy names it.',
  },
  'The kinds of probable mistakes.',
);

export const SEVERITY = oneOf<Severity>(
  'Severity',
  {
    HIGH: 'Urgent: an identity may have access that it should not have.',
    MEDIUM: 'Important: something does not work, or grants more than it seems to.',
    LOW: 'Clean up when there is time.',
  },
  'The importance of a finding.',
);

@InputType({ description: 'A change of an entity, to simulate it or to apply it.' })
export class ModelChangeInput {
  @Field(WhatIfOperation, { description: 'The operation.' })
  operation!: ModelChange['operation'];

  @Field(ModelType, { description: 'The kind of entity.' })
  type!: ModelChange['type'];

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the entity; for a creation the id that it gets and by which later changes may name it, with 1 to 100 letters, digits, `_`, `-` or `.`; default: a new one.',
  })
  id?: string | null;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'The attributes, as in the inputs of the mutations and the REST bodies.',
  })
  input?: unknown;
}

@described('A change that would help, in the form that `simulate` and `applyChanges` accept.')
export class ProposedChange {
  @attribute(OPERATION, { description: 'The operation.' })
  readonly operation!: ModelChange['operation'];

  @attribute(MODEL_TYPE, { description: 'The kind of entity.' })
  readonly type!: string;

  @attribute(id(), {
    nullable: true,
    description: 'Its id, the `id` of a change for `simulate` and `applyChanges`.',
    restName: 'id',
  })
  readonly entityId!: string | null;

  @attribute(map(), { nullable: true, description: 'The attributes that change.' })
  readonly input!: JsonObject | null;
}

@ObjectType({
  description: 'A pair of entities of which one may use the other.',
  simpleResolvers: true,
})
export class ReachPair {
  @Field(() => ID, { nullable: true, description: 'Id of the identity, if the pair has one.' })
  identityId?: string;

  @Field(() => ID, { nullable: true, description: 'Id of the service, if the pair has one.' })
  serviceId?: string;

  @Field(() => ID, { nullable: true, description: 'Id of the edge router, if the pair has one.' })
  routerId?: string;
}

export const ReachConnection = connectionType('Reach', () => ReachPair);

@described('A session for a service that would end.')
class EndedSession {
  @attribute(id(), { description: 'Id of the session.' })
  readonly id!: string;

  @attribute(id(), { description: 'Id of its API session.' })
  readonly apiSessionId!: string;

  @attribute(id(), { description: 'Id of the identity.' })
  readonly identityId!: string;

  @attribute(id(), { description: 'Id of the service.' })
  readonly serviceId!: string;

  @attribute(ACCESS_TYPE, { description: 'Dialing or hosting.' })
  readonly type!: ServicePolicyType;
}

@described('Sessions that would end, by their ids.')
export class EndedSessions {
  @attribute(int(), { description: 'Number of all these sessions.' })
  readonly totalCount!: number;

  @attribute(objects(() => EndedSession), { description: 'The first of these sessions.' })
  readonly nodes!: readonly EndedSession[];
}

@described('An entity that a finding is about.')
export class FindingEntity {
  @attribute(text(), {
    description:
      'Kind of entity: `identity`, `accessRule`; `authority` is a certificate authority.',
  })
  readonly kind!: string;

  @attribute(id(), { description: 'Its id.', restName: 'id' })
  readonly entityId!: string;
}

@described('A probable mistake in the network.')
export class Finding {
  @attribute(id(), {
    nullable: true,
    description:
      'Equal to `findingId` for a finding of the present. Null for the past and for simulations, so that caches of clients, which keep one object for each id, do not mix them with the present.',
    graphOnly: true,
  })
  readonly id!: string | null;

  @attribute(id(), {
    description:
      'Stable while the fact stays the same: across renames, on every controller, in the past and in simulations. `muteFinding` accepts it.',
    restName: 'id',
  })
  readonly findingId!: string;

  @attribute(FINDING_KIND, { description: 'The kind of finding.' })
  readonly kind!: FindingKind;

  @attribute(SEVERITY, { description: 'Its importance.' })
  readonly severity!: Severity;

  @attribute(text(), { description: 'The finding in one sentence.' })
  readonly text!: string;

  @attribute(objects(() => FindingEntity), {
    description: 'The entity it is about, then the others; at most 25.',
  })
  readonly entities!: readonly FindingEntity[];

  @attribute(int(), { description: 'Number of entities that take part.' })
  readonly entityCount!: number;

  @attribute(text(), { nullable: true, description: 'The side of the policy that it is about.' })
  readonly side!: string | null;

  @attribute(text(), { nullable: true, description: 'The role or attribute that it is about.' })
  readonly about!: string | null;

  @attribute(text(), {
    nullable: true,
    description: 'The attribute that was probably intended.',
  })
  readonly similarTo!: string | null;

  @attribute(int(), { description: `${GAINED}, by all its changes together.` })
  readonly gained!: number;

  @attribute(int(), { description: `${LOST}, by all its changes together.` })
  readonly lost!: number;

  @attribute(objects(() => ProposedChange), {
    description: 'The changes that resolve it; empty if no change certainly does.',
  })
  readonly changes!: readonly ProposedChange[];
}

export const FindingConnection = connectionType('Finding', outputType(object(() => Finding)));

@described('The effect of a change on findings.')
export class FindingChanges {
  @attribute(int(), { description: 'Number of new findings.' })
  readonly appearedCount!: number;

  @attribute(objects(() => Finding), { description: 'New findings, the first 100.' })
  readonly appeared!: readonly Finding[];

  @attribute(int(), { description: 'Number of vanished findings.' })
  readonly vanishedCount!: number;

  @attribute(objects(() => Finding), { description: 'Vanished findings, the first 100.' })
  readonly vanished!: readonly Finding[];
}

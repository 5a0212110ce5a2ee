import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { FindingKind, Severity, ModelChange } from '../../../analysis/index.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { connectionType } from '../../../kernel/graph/list-types.js';
import { ACCESS } from './access-types.js';

/** What changes would do, what differs, and what is probably not meant. */

const WhatIfOperation = enumOf(
  'WhatIfOperation',
  {
    create: 'A new entity, as by POST.',
    replace: 'All attributes of one, as by PUT.',
    update: 'Some attributes of one, as by PATCH.',
    delete: 'One goes.',
  } satisfies Record<ModelChange['operation'], string>,
  'What is done to an entity.',
);

const ModelType = enumOf(
  'ModelType',
  {
    identity: 'Identities.',
    service: 'Services.',
    edgeRouter: 'Edge routers.',
    postureCheck: 'Posture checks.',
    servicePolicy: 'Service policies.',
    edgeRouterPolicy: 'Edge router policies.',
    serviceEdgeRouterPolicy: 'Service edge router policies.',
  } satisfies Record<ModelChange['type'], string>,
  'What access is made of.',
);

export const FindingKindEnum = enumOf(
  'FindingKind',
  {
    ACCESS_RULE_VIOLATED: 'An access rule does not hold.',
    UNVERIFIED_AUTHORITY: 'A certificate authority is in use without being verified.',
    ADMIN_WITHOUT_SECOND_FACTOR: 'An administrator logs in without a second factor.',
    OVERBROAD_POLICY: 'A policy has `#all` on a side.',
    UNUSED_POSTURE_CHECK: 'No service policy asks for the posture check.',
    IDENTITY_WITHOUT_ROUTER: 'An identity has services and no edge router.',
    SERVICE_NOBODY_DIALS: 'No identity may dial the service.',
    SERVICE_NOBODY_HOSTS: 'No identity may host the service.',
    POLICY_GRANTS_NOTHING: 'A side of the policy matches no entity.',
    ROLE_MATCHES_NOTHING: 'A role matches no entity.',
    DUPLICATE_POLICY: 'Two policies say the same.',
    SHADOWED_POLICY: 'Another policy grants all that this one grants.',
    POLICY_REDUNDANT_TODAY:
      'Another policy grants all that this one grants, with the entities of today.',
    POLICY_COVERED_TODAY:
      'Several policies together grant all that this one grants, with the entities of today.',
    NEAR_DUPLICATE_ATTRIBUTE: 'Two attributes differ by a letter or by case.',
    ATTRIBUTE_USED_ONCE: 'One entity alone has the attribute, and no policy names it.',
  } satisfies Record<FindingKind, string>,
  'What is probably not meant.',
);

const SeverityEnum = enumOf(
  'Severity',
  {
    HIGH: 'To be looked at now: somebody may have access who should not.',
    MEDIUM: 'To be looked at: something does not work, or grants more than it seems to.',
    LOW: 'To be tidied up.',
  } satisfies Record<Severity, string>,
  'How much it matters.',
);

@InputType({ description: 'A change that is asked about.' })
export class ModelChangeInput {
  @Field(() => WhatIfOperation, { description: 'What is done.' })
  operation!: ModelChange['operation'];

  @Field(() => ModelType, { description: 'To which kind of entity.' })
  type!: ModelChange['type'];

  @Field(() => ID, {
    nullable: true,
    description: 'Id of what is there; of a creation the id by which later changes may name it.',
  })
  id?: string | null;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'The attributes, as in the inputs of the mutations and the REST bodies.',
  })
  input?: unknown;
}

@ObjectType({
  description: 'A change that would help, as `simulate` takes it.',
  simpleResolvers: true,
})
export class ProposedChange {
  @Field(() => WhatIfOperation, { description: 'What is to be done.' })
  operation!: string;

  @Field(() => ModelType, { description: 'To which kind of entity.' })
  type!: string;

  @Field(() => ID, { nullable: true, description: 'Its id, which `simulate` takes as `id`.' })
  entityId?: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'The attributes that change.' })
  input?: unknown;
}

@ObjectType({
  description: 'A pair of entities of which one may use the other.',
  simpleResolvers: true,
})
export class ReachPair {
  @Field(() => ID, { nullable: true, description: 'Id of the identity, if it is of the pair.' })
  identityId?: string;

  @Field(() => ID, { nullable: true, description: 'Id of the service, if it is of the pair.' })
  serviceId?: string;

  @Field(() => ID, { nullable: true, description: 'Id of the edge router, if it is of the pair.' })
  routerId?: string;
}

export const ReachConnection = connectionType('Reach', () => ReachPair);

@ObjectType({ description: 'A session for a service that would end.', simpleResolvers: true })
class EndedSession {
  @Field(() => ID, { description: 'Id of the session.' })
  id!: string;

  @Field(() => ID, { description: 'Id of its API session.' })
  apiSessionId!: string;

  @Field(() => ID, { description: 'Id of the identity.' })
  identityId!: string;

  @Field(() => ID, { description: 'Id of the service.' })
  serviceId!: string;

  @Field(ACCESS, { description: 'Dialing or hosting.' })
  type!: string;
}

@ObjectType({ description: 'Sessions that would end, by their ids.', simpleResolvers: true })
export class EndedSessions {
  @Field(() => [EndedSession], { description: 'The first of them.' })
  nodes!: readonly EndedSession[];

  @Field(() => Int, { description: 'How many they are.' })
  totalCount!: number;
}

@ObjectType({ description: 'What a finding is about.', simpleResolvers: true })
export class FindingEntity {
  @Field(() => String, {
    description:
      'Kind of entity: `identity`, `accessRule`; `authority` is a certificate authority.',
  })
  kind!: string;

  @Field(() => ID, { description: 'Its id.' })
  entityId!: string;
}

@ObjectType({ description: 'Something that is probably not meant.', simpleResolvers: true })
export class Finding {
  @Field(() => ID, {
    nullable: true,
    description:
      'The same as `findingId` where the finding is of now. Null of the past and of simulations, so that caches of clients, which keep one object for an id, do not take them for what is there now.',
  })
  id?: string | null;

  @Field(() => ID, {
    description:
      'Stays the same as long as the fact does: whatever is renamed, on every controller, in the past and in simulations too. `muteFinding` takes it.',
  })
  findingId!: string;

  @Field(() => FindingKindEnum, { description: 'What it is.' })
  kind!: string;

  @Field(() => SeverityEnum, { description: 'How much it matters.' })
  severity!: string;

  @Field(() => String, { description: 'All of it in a sentence.' })
  text!: string;

  @Field(() => [FindingEntity], {
    description: 'What it is about comes first; of many the first 25.',
  })
  entities!: readonly FindingEntity[];

  @Field(() => Int, { description: 'How many entities take part.' })
  entityCount!: number;

  @Field(() => String, { nullable: true, description: 'The side of the policy that is meant.' })
  side?: string | undefined;

  @Field(() => String, { nullable: true, description: 'The role or attribute that is meant.' })
  about?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'The attribute that was probably meant instead.',
  })
  similarTo?: string | undefined;

  @Field(() => [ProposedChange], {
    description: 'What resolves it; none where nothing does for certain.',
  })
  changes!: readonly ProposedChange[];
}

export const FindingConnection = connectionType('Finding', () => Finding);

@ObjectType({
  description: 'What a change does to findings.',
  simpleResolvers: true,
})
export class FindingChanges {
  @Field(() => [Finding], { description: 'New ones, the first 100.' })
  appeared!: readonly Finding[];

  @Field(() => Int, { description: 'How many appear.' })
  appearedCount!: number;

  @Field(() => [Finding], { description: 'Those that are gone, the first 100.' })
  vanished!: readonly Finding[];

  @Field(() => Int, { description: 'How many vanish.' })
  vanishedCount!: number;
}

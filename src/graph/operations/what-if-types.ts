import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { FINDING_KINDS } from '../../analysis/index.js';
import { connectionType } from '../../kernel/list-types.js';
import { MODEL_KINDS, type ModelChange } from '../analysis/model-change.js';
import { ACCESS } from './access-types.js';

/** What changes would do, what differs, and what is probably not meant. */

const enumOf = (values: readonly string[]): Record<string, string> =>
  Object.fromEntries(values.map((value) => [value, value]));

export const WhatIfOperation = enumOf(['create', 'replace', 'update', 'delete']);
registerEnumType(WhatIfOperation, {
  name: 'WhatIfOperation',
  description: 'What is done to an entity: `replace` as by PUT, `update` as by PATCH.',
});

export const ModelType = enumOf(MODEL_KINDS);
registerEnumType(ModelType, {
  name: 'ModelType',
  description: 'What access is made of.',
});

export const FindingKindEnum = enumOf(FINDING_KINDS);
registerEnumType(FindingKindEnum, {
  name: 'FindingKind',
  description: 'What is probably not meant.',
});

export const SeverityEnum = enumOf(['HIGH', 'MEDIUM', 'LOW']);
registerEnumType(SeverityEnum, { name: 'Severity', description: 'How much it matters.' });

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
export class EndedSession {
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

@ObjectType({ description: 'What a change does to findings.', simpleResolvers: true })
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

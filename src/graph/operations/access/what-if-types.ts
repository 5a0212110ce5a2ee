import { GraphQLJSON } from 'graphql-scalars';
import { Field, ID, InputType } from 'type-graphql';
import { Finding, type ModelChange } from '../../../access/analysis/index.js';
import { kebabCase, upperFirst } from '../../../base/names.js';
import { catalog } from '../../../resources/index.js';
import {
  attribute,
  described,
  id,
  int,
  map,
  objects,
  oneOf,
} from '../../../kernel/declare/attribute.js';
import type { JsonObject } from '../../../base/row.js';
import { ACCESS_TYPE } from '../../../kernel/declare/resource.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { connectionOf } from '../../../kernel/graph/list-types.js';
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

export const MODEL_TYPE = oneOf(
  'ModelType',
  draftedKinds(),
  'The kinds of entities that lists of changes may contain: those that decide access and logins, and configs.',
);
export const ModelType = outputType(MODEL_TYPE);

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

/** The common members of changes in answers. */
export abstract class ListedChange {
  @attribute(OPERATION, { description: 'The operation.' })
  readonly operation!: ModelChange['operation'];

  @attribute(MODEL_TYPE, { description: 'The kind of entity.' })
  readonly type!: string;
}

@described('A change that would help, in the form that `simulate` and `applyChanges` accept.')
export class ProposedChange extends ListedChange {
  @attribute(id(), {
    nullable: true,
    description: 'Its id, the `id` of a change for `simulate` and `applyChanges`.',
    restName: 'id',
  })
  readonly entityId!: string | null;

  @attribute(map(), { nullable: true, description: 'The attributes that change.' })
  readonly input!: JsonObject | null;
}

@described('A pair of entities of which one may use the other.')
export class ReachPair {
  @attribute(id(), { nullable: true, description: 'Id of the identity, if the pair has one.' })
  readonly identityId!: string | null;

  @attribute(id(), { nullable: true, description: 'Id of the service, if the pair has one.' })
  readonly serviceId!: string | null;

  @attribute(id(), { nullable: true, description: 'Id of the edge router, if the pair has one.' })
  readonly routerId!: string | null;
}

export const ReachConnection = connectionOf(ReachPair, 'Reach');

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

export const FindingConnection = connectionOf(Finding);

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

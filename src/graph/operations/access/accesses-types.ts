import { ArgsType, Field, InputType, Int, type ClassType } from 'type-graphql';
import { AccessPair, POINT } from '../../../access/analysis/index.js';
import { described } from '../../../kernel/declare/attribute.js';
import { connectionOf, listTypes } from '../../../kernel/graph/list-types.js';
import { RestObject } from '../../../kernel/graph/rest-member.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { catalog } from '../../../resources/index.js';
import { ACCESS } from './access-types.js';
import { grantBody, grantSchema } from './grant-body.js';

/** Types of lists of access. */

@RestObject({ view: grantBody, schema: grantSchema })
@described('An identity and a service that policies let it dial or bind.')
export class AccessGrant extends AccessPair {}

export const AccessConnection = connectionOf(AccessGrant, 'Access');

const whereOf = (resource: string) => (): ClassType =>
  listTypes(catalog.get(resource), catalog).where;

@InputType({ description: 'Conditions on both ends of a pair; all of them must hold.' })
export class AccessWhere {
  @Field(whereOf('Identity'), { nullable: true, description: 'Condition on the identity.' })
  identity?: object;

  @Field(whereOf('Service'), { nullable: true, description: 'Condition on the service.' })
  service?: object;
}

@ArgsType()
export class PairListArgs {
  @Field(() => Int, {
    nullable: true,
    description: 'Page size from the start, 0 to 500, default 25.',
  })
  first?: number;

  @Field(() => String, { nullable: true, description: 'Only entries after this cursor.' })
  after?: string;

  @Field(() => Int, { nullable: true, description: 'Number of rows to skip first.' })
  offset?: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Page size by the rules of the REST interface, where -1 is unlimited.',
  })
  limit?: number;
}

@ArgsType()
export class AccessListArgs extends PairListArgs {
  @Field(ACCESS, { nullable: true, description: 'Only this kind of access.' })
  type?: ServicePolicyType;

  @Field(() => AccessWhere, { nullable: true, description: 'Only pairs whose ends match.' })
  where?: AccessWhere;

  @Field(() => String, {
    nullable: true,
    description: `The point in time: ${POINT}. Conditions apply to the present state of the ends.`,
  })
  at?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Condition on the identity in the filter language: `tags.team = "sea"`.',
  })
  identityFilter?: string;

  @Field(() => String, { nullable: true, description: 'The same on the service.' })
  serviceFilter?: string;
}

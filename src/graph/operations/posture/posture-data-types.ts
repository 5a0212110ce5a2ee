import { Field, ID, ObjectType } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import {
  attribute,
  attributes,
  described,
  object,
  objects,
  type Attribute,
} from '../../../kernel/declare/attribute.js';
import { reportTypes, sessionViews } from '../../../posture/index.js';
import { SdkInfo } from '../../../resources/identity-shapes.js';
import { CheckFailure } from './posture-failure-types.js';

/** What is stored of the devices of an identity, as administrators see it. */

const sessionAttributes: readonly Attribute[] = sessionViews.flatMap(({ members }) =>
  Object.entries(members).map(([name, { shape, description }]) => ({
    name,
    type: object(() => shape),
    description,
  })),
);

@described('Posture that goes with an API session.')
@attributes(sessionAttributes)
class ApiSessionPosture {
  @attribute(object(() => SdkInfo), { description: 'What the client is.', nullable: true })
  sdkInfo!: SdkInfo | null;
}

const reportAttributes: readonly Attribute[] = reportTypes.map(
  ({ member, description, shape, list }) => ({
    name: member,
    type: (list ? objects : object)(() => shape),
    description,
  }),
);

@described('What is known of the devices of an identity; it is gone with its sessions and servers.')
@attributes(reportAttributes)
export class PostureData {
  @attribute(objects(() => ApiSessionPosture), { description: 'What goes with each API session.' })
  apiSessions!: readonly ApiSessionPosture[];
}

@ObjectType({ description: 'A policy that did not let somebody in.', simpleResolvers: true })
class PolicyFailure {
  @Field(() => ID, { description: 'Id of the service policy.' })
  policyId!: string;

  @Field(() => String, { description: 'Its name.' })
  policyName!: string;

  @Field(() => [CheckFailure], { description: 'The checks that failed.' })
  checks!: readonly CheckFailure[];
}

@ObjectType({ description: 'A session that posture refused.', simpleResolvers: true })
export class FailedServiceRequest {
  @Field(() => ID, { description: 'Id of the API session.' })
  apiSessionId!: string;

  @Field(() => ID, { description: 'Id of the service.' })
  serviceId!: string;

  @Field(() => String, { description: 'Name of the service at that time.' })
  serviceName!: string;

  @Field(() => String, { description: '`Dial` or `Bind`.' })
  sessionType!: string;

  @Field(() => [PolicyFailure], { description: 'The policies that would have let it in.' })
  policyFailures!: readonly PolicyFailure[];

  @Field(() => DateTime, { description: 'When it was refused.' })
  when!: string;
}

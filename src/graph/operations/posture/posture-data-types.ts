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
import { reportTypes, sessionViews } from '../../../trust/posture/index.js';
import { SdkInfo } from '../../../resources/identities/identity-shapes.js';
import { CheckFailure } from './posture-failure-types.js';

/** The stored data about the devices of an identity, in the view of administrators. */

const sessionAttributes: readonly Attribute[] = sessionViews.flatMap(({ members }) =>
  Object.entries(members).map(([name, { shape, description }]) => ({
    name,
    type: object(() => shape),
    description,
  })),
);

@described('Posture data of an API session.')
@attributes(sessionAttributes)
class ApiSessionPosture {
  @attribute(object(() => SdkInfo), { description: 'The software of the client.', nullable: true })
  sdkInfo!: SdkInfo | null;
}

const reportAttributes: readonly Attribute[] = reportTypes.map(
  ({ member, description, shape, list }) => ({
    name: member,
    type: (list ? objects : object)(() => shape),
    description,
  }),
);

@described(
  'The data about the devices of an identity; it is lost with its sessions and controllers.',
)
@attributes(reportAttributes)
export class PostureData {
  @attribute(objects(() => ApiSessionPosture), { description: 'The data of each API session.' })
  apiSessions!: readonly ApiSessionPosture[];
}

@ObjectType({
  description: 'A policy that did not grant access because of posture.',
  simpleResolvers: true,
})
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

  @Field(() => [PolicyFailure], { description: 'The policies that would have granted it.' })
  policyFailures!: readonly PolicyFailure[];

  @Field(() => DateTime, { description: 'Time of the refusal.' })
  when!: string;
}

import { Field, ID, ObjectType } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { SdkInfo } from '../../../resources/identity-shapes.js';
import { CheckFailure } from './posture-failure-types.js';

/** What is known of the devices of an identity, as administrators see it. */

@ObjectType()
abstract class PostureReport {
  @Field(() => String, { description: 'The posture check that it answered; empty before.' })
  postureCheckId!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was told last.' })
  lastUpdatedAt!: string | null;

  @Field(() => Boolean, { description: 'Whether it is too old to count.' })
  timedOut!: boolean;
}

@ObjectType({ description: 'The operating system of a device.', simpleResolvers: true })
export class PostureOs extends PostureReport {
  @Field(() => String, { description: 'Its kind.' })
  type!: string;

  @Field(() => String, { description: 'Its version.' })
  version!: string;

  @Field(() => String, { description: 'Its build.' })
  build!: string;
}

@ObjectType({ description: 'The Windows domain of a device.', simpleResolvers: true })
export class PostureDomain extends PostureReport {
  @Field(() => String, { description: 'Its name.' })
  domain!: string;
}

@ObjectType({ description: 'The hardware addresses of a device.', simpleResolvers: true })
export class PostureMac extends PostureReport {
  @Field(() => [String], { description: 'In lower-case hex without separators.' })
  addresses!: readonly string[];
}

@ObjectType({ description: 'A program on a device.', simpleResolvers: true })
export class PostureProcessReport extends PostureReport {
  @Field(() => String, { description: 'SHA-512 of the program in lower-case hex.' })
  binaryHash!: string;

  @Field(() => Boolean, { description: 'Whether it ran.' })
  isRunning!: boolean;

  @Field(() => [String], { description: 'SHA-1 of the certificates that signed it.' })
  signerFingerprints!: readonly string[];
}

@ObjectType({ description: 'The second factor in an API session.', simpleResolvers: true })
export class PostureMfa {
  @Field(() => ID, { description: 'Id of the API session.' })
  apiSessionId!: string;

  @Field(() => Boolean, { description: 'Whether it was given.' })
  passedMfa!: boolean;

  @Field(() => DateTime, { nullable: true, description: 'When it was given last.' })
  passedAt!: string | null;

  @Field(() => Boolean, { description: 'Whether it counts after the device woke up last.' })
  passedOnWake!: boolean;

  @Field(() => Boolean, { description: 'Whether it counts after the device was unlocked last.' })
  passedOnUnlock!: boolean;
}

@ObjectType({ description: 'What happened on a device.', simpleResolvers: true })
export class PostureEndpointState {
  @Field(() => DateTime, { nullable: true, description: 'When it woke up last.' })
  wokenAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was unlocked last.' })
  unlockedAt!: string | null;
}

@ObjectType({ description: 'Posture that goes with an API session.', simpleResolvers: true })
export class ApiSessionPosture {
  @Field(() => PostureMfa, { description: 'The second factor.' })
  mfa!: PostureMfa;

  @Field(() => PostureEndpointState, { description: 'What happened on the device.' })
  endpointState!: PostureEndpointState;

  @Field(() => SdkInfo, { nullable: true, description: 'What the client is.' })
  sdkInfo?: object;
}

@ObjectType({
  description:
    'What is known of the devices of an identity; it is gone with its sessions and servers.',
  simpleResolvers: true,
})
export class PostureData {
  @Field(() => PostureOs, { description: 'The operating system.' })
  os!: PostureOs;

  @Field(() => PostureDomain, { description: 'The Windows domain.' })
  domain!: PostureDomain;

  @Field(() => PostureMac, { description: 'The hardware addresses.' })
  mac!: PostureMac;

  @Field(() => [PostureProcessReport], { description: 'The programs that were asked for.' })
  processes!: readonly PostureProcessReport[];

  @Field(() => [ApiSessionPosture], { description: 'What goes with each API session.' })
  apiSessions!: readonly ApiSessionPosture[];
}

@ObjectType({ description: 'A policy that did not let somebody in.', simpleResolvers: true })
export class PolicyFailure {
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

import { ArgsType, Field } from 'type-graphql';
import { UnusedAccess } from '../../../access/analysis/index.js';
import { DateTime } from '../../../base/date-time.js';
import { attribute, described, id } from '../../../kernel/declare/attribute.js';
import { connectionOf } from '../../../kernel/graph/list-types.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { ACCESS } from './access-types.js';
import { PairListArgs } from './accesses-types.js';

/** Types of access that nobody used. */

@described('An identity that did not use its access.')
export class UnusedIdentity {
  @attribute(id(), { description: 'Id of the identity.' })
  readonly identityId!: string;
}

@described('A service whose access was not used.')
export class UnusedService {
  @attribute(id(), { description: 'Id of the service.' })
  readonly serviceId!: string;
}

export const UnusedAccessConnection = connectionOf(UnusedAccess);
export const UnusedIdentityConnection = connectionOf(UnusedIdentity);
export const UnusedServiceConnection = connectionOf(UnusedService);

@ArgsType()
export class UnusedAccessArgs extends PairListArgs {
  @Field(() => DateTime, {
    description:
      'The beginning of the time without use, not before `lastUseRecording.recordedSince`.',
  })
  since!: Date;

  @Field(ACCESS, { nullable: true, description: 'Only this kind of access.' })
  type?: ServicePolicyType;

  @Field(() => String, {
    nullable: true,
    description:
      'Condition in the filter language: only pairs with such an identity count: `tags.team = "sea"`.',
  })
  identityFilter?: string;

  @Field(() => String, { nullable: true, description: 'The same for the service.' })
  serviceFilter?: string;
}

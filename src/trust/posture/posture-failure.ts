import {
  attribute,
  attributes,
  described,
  id,
  json,
  objects,
  text,
} from '../../kernel/declare/attribute.js';
import { failureAttributes, type PostureCheckTypeId } from './posture-types.js';

/** The reasons why posture checks fail. */

/** The type of the check decides which members the values have. */
@described('The reason why a posture check fails.')
@attributes(failureAttributes)
export class PostureFailure {
  @attribute(json(), {
    nullable: true,
    description: 'The actual value on the device, in the form of the type of the check.',
  })
  readonly actualValue!: unknown;

  @attribute(json(), {
    nullable: true,
    description: 'The value that the check requires, in the form of its type.',
  })
  readonly expectedValue!: unknown;
}

/** Schemas `postureCheckFailure*`. */
@described('A posture check that failed when a session was refused.')
export class CheckFailure extends PostureFailure {
  @attribute(id(), { description: 'Id of the posture check.' })
  readonly postureCheckId!: string;

  @attribute(text(), { description: 'Its name at that time.' })
  readonly postureCheckName!: string;

  @attribute(text<PostureCheckTypeId>(), { description: 'Its type.' })
  readonly postureCheckType!: PostureCheckTypeId;
}

@described('A policy that did not grant access because of posture.')
export class PolicyFailure {
  @attribute(id(), { description: 'Id of the service policy.' })
  readonly policyId!: string;

  @attribute(text(), { description: 'Its name.' })
  readonly policyName!: string;

  @attribute(objects(() => CheckFailure), { description: 'The checks that failed.' })
  readonly checks!: readonly CheckFailure[];
}

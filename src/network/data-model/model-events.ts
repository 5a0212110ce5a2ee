import {
  messages,
  type DataStateAction,
  type DataStateRelatedEntityType,
} from '../messages/index.js';
import type { MemberChange } from './member-changes.js';
import { fieldHead } from './wire-fields.js';

/*
 * Events are kept as bytes: an event that creates an entity is its model alone, since the action of a creation
 * is the default value, so any other action is put before the same bytes.
 */

const ACTION: Readonly<Record<DataStateAction, Buffer>> = {
  Create: Buffer.alloc(0),
  Update: messages.DataStateEvent.encode({ action: 'Update' }),
  Delete: messages.DataStateEvent.encode({ action: 'Delete' }),
};

/** The event that does this with an entity, from the event that creates it. */
export const eventOf = (action: DataStateAction, encoded: Buffer): Buffer =>
  Buffer.concat([ACTION[action], encoded]);

const RELATED: Readonly<Record<MemberChange['side'], DataStateRelatedEntityType>> = {
  services: 'RelatedService',
  identities: 'RelatedIdentity',
  postureChecks: 'RelatedPostureCheck',
};

/** The number of the field of an event that holds a change of the members of a policy. */
const SERVICE_POLICY_CHANGE = 16;

interface Members extends Pick<MemberChange, 'policyId' | 'side'> {
  /** Their ids, encoded: each item makes an event. */
  readonly ids: Iterable<Buffer>;
}

/** The events that add or remove members. */
export function* memberEvents({ policyId, side, ids }: Members, add: boolean): Generator<Buffer> {
  const relatedEntityType = RELATED[side];
  const change = messages.DataStateServicePolicyChange.encode({ policyId, relatedEntityType, add });
  for (const members of ids) {
    const head = fieldHead(SERVICE_POLICY_CHANGE, change.length + members.length);
    yield Buffer.concat([head, change, members]);
  }
}

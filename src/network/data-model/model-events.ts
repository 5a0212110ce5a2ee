import {
  messages,
  type DataStateAction,
  type DataStateRelatedEntityType,
} from '../messages/index.js';
import type { MemberChange } from './member-changes.js';

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

/** One event holds at most so many ids. */
const MAX_IDS = 10_000;

/** The events that add or remove members. */
export function* memberEvents(
  { policyId, side, ids }: MemberChange,
  add: boolean,
): Generator<Buffer> {
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    yield messages.DataStateEvent.encode({
      servicePolicyChange: {
        policyId,
        relatedEntityIds: ids.slice(from, from + MAX_IDS),
        relatedEntityType: RELATED[side],
        add,
      },
    });
  }
}

import type { JsonObject } from '../../base/row.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { isChangeOf, type LoggedChange } from '../../kernel/request/store-port.js';
import { entityLayout, storedForm, type EntityLayout } from './entity-layouts.js';
import { withoutEmpty, type NetworkEvent } from './network-event.js';

const EVENT_TYPE = { create: 'created', update: 'updated', delete: 'deleted' } as const;

/** The events `entityChange` of a change: the change, and that it is committed. */
export function entityChangeEvents(
  change: LoggedChange,
  { catalog, version }: { readonly catalog: Catalog; readonly version: string },
): NetworkEvent[] {
  const layout = entityLayout(catalog, change.resource);
  if (!layout) return [];
  const { at, cursor: eventId, operation, before, after } = change;
  const names = { type: 'entityChange', frameType: 'entity.change', kind: layout.type } as const;
  const common = { ...names, at, isShared: true } as const;
  const changed = {
    eventId,
    eventType: EVENT_TYPE[operation],
    metadata: { author: authorOf(change), ...sourceOf(change), version },
    entityType: layout.type,
    initialState: stateOf(layout, before),
    finalState: stateOf(layout, after),
  };
  return [
    { ...common, members: changed },
    { ...common, members: { eventId, eventType: 'committed' } },
  ];
}

const stateOf = (layout: EntityLayout, state: JsonObject | null): JsonObject | null =>
  state && storedForm(layout, state);

const authorOf = ({ actorId, actor }: LoggedChange): JsonObject =>
  actorId === null
    ? { type: 'controller' }
    : withoutEmpty({ type: 'identity', id: actorId, name: actor?.name });

/** Requests have an id; routers write for their identities without one. */
function sourceOf({ requestId, actorId, address }: LoggedChange): JsonObject {
  if (requestId !== null) {
    return { source: withoutEmpty({ type: 'rest', auth: 'edge', remoteAddr: address }) };
  }
  return actorId === null ? {} : { source: { type: 'ctrl.channel' } };
}

/** The event `apiSession` of a login or its end. */
export function apiSessionEvents(change: LoggedChange): NetworkEvent[] {
  if (!isChangeOf('ApiSession', change) || change.operation === 'update') return [];
  const { at, id, operation, before, after } = change;
  const kind = EVENT_TYPE[operation];
  const { identityId = '', ipAddress = '' } = after ?? before ?? {};
  const members = {
    event_type: kind,
    id,
    type: 'legacy',
    token: '',
    identity_id: identityId,
    ip_address: ipAddress,
  };
  return [{ type: 'apiSession', at, kind, isShared: true, members }];
}

/** The event `session` of a session for a service. Layouts leave its token out when it is empty. */
export function sessionEvents(change: LoggedChange): NetworkEvent[] {
  if (!isChangeOf('Session', change) || change.operation === 'update') return [];
  const { at, id, operation, before, after } = change;
  const kind = EVENT_TYPE[operation];
  const { type = '', apiSessionId = '', identityId = '', serviceId = '' } = after ?? before ?? {};
  const members = {
    event_type: kind,
    session_type: type,
    provider: 'legacy',
    id,
    api_session_id: apiSessionId,
    identity_id: identityId,
    service_id: serviceId,
  };
  return [{ type: 'session', at, kind, isShared: true, members }];
}

import type { JsonObject } from '../../base/row.js';
import type { Link } from '../../data/rows/fabric/index.js';
import { costOfLink, type Circuit, type CircuitFailure, type FabricFact } from '../fabric/index.js';
import type { EventType } from './event-types.js';
import { nanosOf, withoutEmpty, type NetworkEvent } from './network-event.js';

/** A fact that is an event of its own; the others are counted. */
export type SingleFact = Exclude<FabricFact, { readonly kind: 'dialAnswered' | 'healthChecked' }>;

type FactOf<K extends SingleFact['kind']> = Extract<SingleFact, { readonly kind: K }>;

type Formatters = { readonly [K in SingleFact['kind']]: (fact: FactOf<K>) => Layout };

/** An event without its time. */
type Layout = Omit<NetworkEvent, 'at'>;

const TYPES = {
  circuitCreated: 'circuit',
  circuitMoved: 'circuit',
  circuitEnded: 'circuit',
  circuitFailed: 'circuit',
  linkReported: 'link',
  linkFault: 'link',
  linkConnections: 'link',
  routerOnline: 'router',
  routerOffline: 'router',
} as const satisfies Readonly<Record<SingleFact['kind'], EventType>>;

export const isSingleFact = (fact: FabricFact): fact is SingleFact => fact.kind in TYPES;

/** The type of the event of a fact. */
export const typeOfFact = ({ kind }: SingleFact): EventType => TYPES[kind];

/** The event of a fact of the fabric. */
export function fabricEvent(fact: SingleFact, at: Date): NetworkEvent {
  const format = FORMATTERS[fact.kind] as (fact: SingleFact) => Layout;
  return { ...format(fact), at };
}

const CIRCUIT_VERSION = 2;

const FORMATTERS: Formatters = {
  circuitCreated: ({ circuit, millis, pathCost }) =>
    circuitEvent('created', circuit, { creation_timespan: nanosOf(millis), path_cost: pathCost }),
  circuitMoved: ({ circuit, pathCost }) =>
    circuitEvent('pathUpdated', circuit, { path_cost: pathCost }),
  circuitEnded: ({ circuit, millis }) =>
    circuitEvent('deleted', circuit, { duration: nanosOf(millis) }),
  circuitFailed: ({ circuitId, sessionId, serviceId, instanceId, failure, millis }) => ({
    type: 'circuit',
    kind: 'failed',
    members: {
      version: CIRCUIT_VERSION,
      event_type: 'failed',
      circuit_id: circuitId,
      client_id: sessionId,
      service_id: serviceId,
      terminator_id: '',
      instance_id: instanceId,
      ...withoutEmpty({ creation_timespan: nanosOf(millis) }),
      path: { nodes: null, links: null, ingress_id: '', egress_id: '' },
      link_count: 0,
      failure_cause: FAILURE_CAUSES[failure],
      tags: null,
    },
  }),
  linkReported: ({ link, isNew, isDestinationConnected }) => {
    if (!isDestinationConnected) return linkEvent('routerLinkDisconnectedDest', link);
    return linkEvent(isNew ? 'routerLinkNew' : 'routerLinkKnown', link);
  },
  linkFault: ({ link, isDuplicate }) => linkEvent(isDuplicate ? 'duplicate' : 'fault', link),
  linkConnections: ({ link }) => linkEvent('connectionsChanged', link),
  routerOnline: ({ routerId }) => routerEvent(routerId, true),
  routerOffline: ({ routerId }) => routerEvent(routerId, false),
};

const FAILURE_CAUSES: Readonly<Record<CircuitFailure, string>> = {
  'no terminators': 'NO_TERMINATORS',
  'no online terminators': 'NO_ONLINE_TERMINATORS',
  'no path': 'NO_PATH',
  generic: 'ROUTER_ERR_GENERIC',
  'invalid terminator': 'ROUTER_ERR_INVALID_TERMINATOR',
  'misconfigured terminator': 'ROUTER_ERR_MISCONFIGURED_TERMINATOR',
  'dial timed out': 'ROUTER_ERR_DIAL_TIMED_OUT',
  'connection refused': 'ROUTER_ERR_CONN_REFUSED',
  'no answer': 'ROUTER_RESPONSE_TIMEOUT',
};

interface CircuitNumbers {
  readonly creation_timespan?: number;
  readonly path_cost?: number;
  readonly duration?: number;
}

function circuitEvent(
  kind: string,
  circuit: Circuit,
  { creation_timespan, path_cost, duration }: CircuitNumbers,
): Layout {
  const { sessionId, serviceId, identityId, hostId, terminatorId, instanceId } = circuit;
  const { routerIds, linkIds, ingress, egress } = circuit;
  const members = {
    version: CIRCUIT_VERSION,
    event_type: kind,
    circuit_id: circuit.id,
    client_id: sessionId,
    service_id: serviceId,
    terminator_id: terminatorId,
    instance_id: instanceId,
    ...withoutEmpty({ creation_timespan }),
    path: {
      nodes: listOrNull(routerIds),
      links: listOrNull(linkIds),
      ingress_id: ingress,
      egress_id: egress,
    },
    link_count: linkIds.length,
    ...withoutEmpty({ path_cost, duration }),
    tags: { serviceId, clientId: identityId, hostId },
  };
  return { type: 'circuit', kind, members };
}

/** Empty lists are null in the field. */
const listOrNull = (ids: readonly string[]): readonly string[] | null =>
  ids.length === 0 ? null : ids;

function linkEvent(kind: string, link: Link): Layout {
  const { id, sourceId, destinationId, protocol, dialAddress, connections } = link;
  const details: JsonObject = {
    src_router_id: sourceId,
    dst_router_id: destinationId,
    protocol,
    dial_address: dialAddress,
    cost: costOfLink(link),
    connections: connections.map(({ type, source, dest }) => ({
      id: type,
      local_addr: source,
      remote_addr: dest,
    })),
  };
  const members = { event_type: kind, link_id: id, ...withoutEmpty(details) };
  return { type: 'link', kind, members };
}

function routerEvent(routerId: string, isOnline: boolean): Layout {
  const kind = isOnline ? 'router-online' : 'router-offline';
  const members = { event_type: kind, router_id: routerId, router_online: isOnline };
  return { type: 'router', kind, members };
}

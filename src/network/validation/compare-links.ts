import type { JsonObject } from '../../base/row.js';
import type { Link, LinkConnection } from '../../data/rows/fabric/index.js';
import type { RouterLinkDetail } from '../messages/index.js';
import { objectsIn, textIn } from './router-value.js';
import { resultOfParts, type ValidationResult } from './validation-result.js';

/** The links of the fabric, as far as a router is compared with them. */
export interface LinkFacts {
  readonly routerId: string;
  /** The links of the router when it was asked. */
  readonly earlier: readonly Link[];
  /** The present links. */
  readonly link: (id: string) => Link | undefined;
  readonly isConnected: (routerId: string) => boolean;
}

/** Compares the links that a router reports with those of the fabric. */
export function compareLinks(value: JsonObject, facts: LinkFacts): ValidationResult {
  const reported = objectsIn(value.links);
  const reportedIds = new Set(reported.map(({ id }) => textIn(id)));
  const details = [
    ...reported.map((link) => reportedLink(link, facts)),
    // A link that came or went meanwhile is not missing.
    ...facts.earlier
      .filter(({ id }) => facts.link(id) && !reportedIds.has(id))
      .map((link) => missingLink(link, facts)),
  ];
  return resultOfParts(
    details,
    details.every(({ isValid }) => isValid),
  );
}

function reportedLink(reported: JsonObject, facts: LinkFacts): RouterLinkDetail {
  const destRouterId = textIn(reported.dest);
  const link = facts.link(textIn(reported.id));
  const destConnected = facts.isConnected(destRouterId);
  const dialed = reported.dialed === true;
  // The ends are the other way round at the router that did not dial.
  const messages = link && dialed ? connectionFaults(link, reported) : [];
  return {
    linkId: textIn(reported.id),
    ctrlState: link ? 'LinkEstablished' : 'LinkUnknown',
    routerState: 'LinkEstablished',
    destConnected,
    // A link to a router that is away is gone for the controller, and not yet for the router.
    isValid: (link !== undefined) === destConnected && messages.length === 0,
    ...{ destRouterId, dialed, messages },
  };
}

function missingLink(
  { id, sourceId, destinationId }: Link,
  { routerId, isConnected }: LinkFacts,
): RouterLinkDetail {
  const dialed = sourceId === routerId;
  const destRouterId = dialed ? destinationId : sourceId;
  return {
    linkId: id,
    ctrlState: 'LinkEstablished',
    routerState: 'LinkUnknown',
    destConnected: isConnected(destRouterId),
    isValid: false,
    ...{ destRouterId, dialed, messages: [] },
  };
}

/** Older routers do not tell the controller about the connections of a link. */
function connectionFaults({ connections }: Link, reported: JsonObject): string[] {
  if (connections.length === 0) return [];
  const atController = textOf(connections);
  const atRouter = textOf(
    objectsIn(reported.connections).map((connection) => ({
      type: textIn(connection.Type),
      source: textIn(connection.Source),
      dest: textIn(connection.Dest),
    })),
  );
  return atController === atRouter
    ? []
    : [`its connections differ: ${atController} at the controller, ${atRouter} at the router`];
}

const textOf = (connections: readonly LinkConnection[]): string =>
  connections
    .map(({ type, source, dest }) => `${type} ${source} -> ${dest}`)
    .sort()
    .join(', ');

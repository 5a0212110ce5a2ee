import type { LinkConnection } from '../../data/rows/fabric/index.js';
import { DialRefusal, type DialFailure, type Fabric } from '../fabric/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import type { FrameHandler } from './control-channel.js';
import { handle } from './handle.js';
import { messages, type Fault, type LinkConn } from '../messages/index.js';
import type { Frame, Headers } from './frame.js';
import {
  bytesByNumber,
  readBytesByNumber,
  readText,
  readTexts,
  textsByText,
  textValue,
} from './header-values.js';
import { metricsHandler } from './metrics-handler.js';
import { provedClient, type AccessTokenReader } from './proved-client.js';
import { ERROR, refuse } from './refuse.js';

export interface CircuitHandlerOptions {
  readonly fabric: Fabric;
  readonly router: () => ConnectedRouter;
  readonly now: () => Date;
  readonly sessionOf: AccessTokenReader;
}

/** Answers the requests of a router about circuits, and takes its reports about links. */
export const circuitHandlers = (
  options: CircuitHandlerOptions,
): ReadonlyMap<number, FrameHandler> => new Map([...ofCircuits(options), ...ofLinks(options)]);

/** The headers of a request for a circuit, and of its answer. */
const CIRCUIT_HEADER = {
  peerData: 10,
  sessionToken: 11,
  fingerprints: 12,
  apiSessionToken: 14,
  instanceId: 13,
  circuitId: 11,
  address: 12,
  tags: 13,
} as const;

function ofCircuits(options: CircuitHandlerOptions): [number, FrameHandler][] {
  const { fabric, router } = options;
  const { circuits } = fabric;
  return [
    [CONTENT.createCircuit, (frame) => dial(options, frame)],
    [
      CONTENT.routeResult,
      ({ body }) => {
        // It comes after its dial has failed: the end of the circuit came before its route.
        circuits.dropUnknown(router().id, [readText(body)]);
      },
    ],
    handle(
      CONTENT.circuitConfirmation,
      messages.CircuitConfirmation,
      ({ circuitIds, idleTimes }) => {
        const idle = circuitIds.map((id) => [id, (idleTimes[id] ?? 0) / NANOS_PER_MILLI] as const);
        return circuits.confirm(router().id, new Map(idle));
      },
    ),
  ];
}

async function dial(options: CircuitHandlerOptions, frame: Frame): Promise<void> {
  const { circuits } = options.fabric;
  const router = options.router();
  const { headers } = frame;
  const proofs = {
    apiSessionToken: readText(headers.get(CIRCUIT_HEADER.apiSessionToken)),
    fingerprints: readTexts(headers.get(CIRCUIT_HEADER.fingerprints)),
  };
  try {
    const { circuit, peerData, tags } = await circuits.dial(router.id, {
      session: {
        token: readText(headers.get(CIRCUIT_HEADER.sessionToken)),
        client: await provedClient(proofs, options.sessionOf),
      },
      instanceId: readText(headers.get(CIRCUIT_HEADER.instanceId)),
      peerData: readBytesByNumber(headers.get(CIRCUIT_HEADER.peerData)),
    });
    const answer: Headers = new Map([
      [CIRCUIT_HEADER.peerData, bytesByNumber(peerData)],
      [CIRCUIT_HEADER.circuitId, textValue(circuit.id)],
      [CIRCUIT_HEADER.address, textValue(circuit.ingress)],
      [CIRCUIT_HEADER.tags, textsByText(tags)],
    ]);
    router.channel.answer(frame, CONTENT.createCircuitResult, undefined, answer);
  } catch (error) {
    if (!(error instanceof DialRefusal)) throw error;
    refuse(router, frame, dialErrorOf(error), error.message, error.circuitId);
  }
}

const DIAL_ERRORS: Readonly<Record<DialFailure, number>> = {
  'late dial': ERROR.internal,
  'invalid session': ERROR.invalidSession,
  'wrong session type': ERROR.wrongSessionType,
  'invalid router': ERROR.invalidRouter,
  'encryption data missing': ERROR.encryptionDataMissing,
  'no terminators': ERROR.internal,
  'no online terminators': ERROR.internal,
  'no path': ERROR.internal,
  'routing failed': ERROR.internal,
};

/** The code of a dial that is refused. */
export const dialErrorOf = ({ reason }: DialRefusal): number => DIAL_ERRORS[reason];

const NANOS_PER_MILLI = 1_000_000;

function ofLinks(options: CircuitHandlerOptions): [number, FrameHandler][] {
  const { fabric, router } = options;
  let isFirstReport = true;
  return [
    handle(CONTENT.routerLinks, messages.RouterLinks, async ({ links }) => {
      const reports = links.map((link) => ({
        id: link.id,
        destinationId: link.destRouterId,
        iteration: link.iteration,
        protocol: link.linkProtocol,
        dialAddress: link.dialAddress,
        connections: connectionsOf(link.connState?.conns ?? []),
      }));
      // After it has connected, a router reports all of its links.
      const isFull = isFirstReport;
      isFirstReport = false;
      await fabric.reportLinks(router().id, reports, isFull);
    }),
    handle(CONTENT.linkState, messages.LinkStateUpdate, ({ linkId, connState }) => {
      fabric.linkConnected(router().id, linkId, connectionsOf(connState?.conns ?? []));
    }),
    metricsHandler(options),
    handle(CONTENT.fault, messages.Fault, (fault) => applyFault(options, fault)),
  ];
}

/** A link has one connection, or a few. */
const MAX_CONNECTIONS = 16;

const connectionsOf = (connections: readonly LinkConn[]): LinkConnection[] =>
  connections
    .slice(0, MAX_CONNECTIONS)
    .map(({ type, localAddr, remoteAddr }) => ({ type, source: localAddr, dest: remoteAddr }));

async function applyFault(
  { fabric, router }: CircuitHandlerOptions,
  { subject, id, iteration }: Fault,
): Promise<void> {
  const { circuits } = fabric;
  switch (subject) {
    case 'IngressFault':
    case 'EgressFault':
      circuits.endFrom(router().id, id);
      break;
    case 'ForwardFault':
      await circuits.forwardFault(router().id, id.split(' '));
      break;
    case 'LinkFault':
    case 'LinkDuplicate':
      await fabric.linkFault(router().id, {
        linkId: id,
        iteration,
        isDuplicate: subject === 'LinkDuplicate',
      });
      break;
    case 'UnknownOwnerForwardFault':
      break;
  }
}

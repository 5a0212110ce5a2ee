import { BindRefusal, DialRefusal, type Fabric } from '../fabric/index.js';
import { dialErrorOf } from './circuit-handlers.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import type { FrameHandler } from './control-channel.js';
import {
  messages,
  type CreateApiSessionResponse,
  type CreateTerminatorResult,
  type CreateTunnelCircuitV2Request,
  type CreateTunnelTerminatorV2Request,
} from '../messages/index.js';
import type { Frame } from './frame.js';
import { handle } from './handle.js';
import { readBool, readText, textValue } from './header-values.js';
import { precedenceInGraph, precedenceOfRouters } from './precedence.js';
import { ERROR, refuse } from './refuse.js';
import { storedPeerData, updateOf } from './terminator-handlers.js';
import {
  TunnelerRefusal,
  type TunnelerFault,
  type TunnelerIdentity,
  type TunnelerLogin,
  type TunnelerPort,
  type TunnelerSession,
} from './tunneler-port.js';

export interface TunnelerHandlerOptions {
  readonly fabric: Fabric;
  readonly router: () => ConnectedRouter;
  readonly address: string;
  readonly tunnelers: TunnelerPort;
}

/** A router asks again for its session well before that ends without a request. */
const REFRESH_SECONDS = 60;
/** The headers of a health event. */
const HEALTH_HEADER = { terminatorId: 1022, checkPassed: 1023 } as const;

const ERRORS: Readonly<Record<TunnelerFault, number>> = {
  'tunneling not enabled': ERROR.tunnelingNotEnabled,
  'invalid service': ERROR.invalidService,
};

/** Answers a router that asks in its own name, since a tunneler in it hosts and dials services. */
export const tunnelerHandlers = (
  options: TunnelerHandlerOptions,
): ReadonlyMap<number, FrameHandler> =>
  new Map([...ofServices(options), ...ofTerminators(options)]);

function ofServices(options: TunnelerHandlerOptions): [number, FrameHandler][] {
  const { router, tunnelers } = options;
  return [
    handle(CONTENT.createApiSession, messages.CreateApiSessionRequest, async (request, frame) => {
      await answering(router(), frame, async () => {
        const session = await sessionOf(options, {
          configTypes: request.configTypes,
          envInfo: request.envInfo ?? {},
          sdkInfo: request.sdkInfo ?? {},
        });
        const body = messages.CreateApiSessionResponse.encode(
          apiSessionOf(session, await tunnelers.identity(session)),
        );
        router().channel.answer(frame, CONTENT.createApiSessionResult, body);
      });
    }),
    [
      CONTENT.listServices,
      async (frame) => {
        const session = await sessionOf(options);
        const lastUpdate = textValue(tunnelers.servicesState(session));
        if (lastUpdate.equals(frame.body)) return;
        const services = await tunnelers.services(session);
        router().tell(CONTENT.services, messages.ServicesList, { lastUpdate, services });
      },
    ],
    handle(
      CONTENT.createTunnelCircuit,
      messages.CreateCircuitForServiceRequest,
      async (request, frame) => {
        await answering(router(), frame, async () => {
          const { circuit, sessions } = await dial(options, request);
          const body = messages.CreateCircuitForServiceResponse.encode({
            ...(await sessions()),
            ...circuit,
          });
          router().channel.answer(frame, CONTENT.createTunnelCircuitResult, body);
        });
      },
    ),
    handle(
      CONTENT.createTunnelCircuitV2,
      messages.CreateTunnelCircuitV2Request,
      async (request, frame) => {
        await answering(router(), frame, async () => {
          const { circuit } = await dial(options, request);
          const body = messages.CreateTunnelCircuitV2Response.encode(circuit);
          router().channel.answer(frame, CONTENT.createTunnelCircuitV2Result, body);
        });
      },
    ),
  ];
}

function ofTerminators(options: TunnelerHandlerOptions): [number, FrameHandler][] {
  const { fabric, router } = options;
  const { bindings } = fabric;
  return [
    handle(
      CONTENT.createTunnelTerminator,
      messages.CreateTunnelTerminatorRequest,
      async ({ serviceName, startTime, ...request }, frame) => {
        await answering(router(), frame, async () => {
          const sessions = await host(options, { name: serviceName }, request);
          const body = messages.CreateTunnelTerminatorResponse.encode({
            ...(await sessions()),
            terminatorId: request.address,
            startTime,
          });
          router().channel.answer(frame, CONTENT.createTunnelTerminatorResult, body);
        });
      },
    ),
    handle(
      CONTENT.createTunnelTerminatorV2,
      messages.CreateTunnelTerminatorV2Request,
      (request, frame) => hostInModel(options, request, frame),
    ),
    handle(
      CONTENT.updateTunnelTerminator,
      messages.UpdateTunnelTerminatorRequest,
      async (request, frame) => {
        const isKnown = await bindings.update(router().id, updateOf(request));
        if (isKnown) router().channel.answer(frame, CONTENT.updateTunnelTerminatorResult);
        else refuse(router(), frame, ERROR.invalidTerminator, 'the terminator does not exist');
      },
    ),
    [
      CONTENT.removeTunnelTerminator,
      async (frame) => {
        await bindings.remove(router().id, [readText(frame.body)]);
        router().channel.answer(frame, CONTENT.removeTunnelTerminatorResult);
      },
    ],
    [
      CONTENT.tunnelHealthEvent,
      ({ headers }) =>
        bindings.applyHealthCheck(
          router().id,
          readText(headers.get(HEALTH_HEADER.terminatorId)),
          readBool(headers.get(HEALTH_HEADER.checkPassed)),
        ),
    ],
  ];
}

/** Makes a circuit in the name of the router. */
async function dial(
  options: TunnelerHandlerOptions,
  { serviceName, terminatorInstanceId: instanceId, peerData }: CreateTunnelCircuitV2Request,
) {
  const { fabric, router, tunnelers } = options;
  const apiSession = await sessionOf(options);
  const session = await tunnelers.serviceSession(apiSession, { name: serviceName }, 'Dial');
  const dialed = await fabric.circuits.dial(router().id, {
    session: { token: session.token, client: null },
    instanceId,
    peerData: new Map(Object.entries(peerData).map(([key, value]) => [Number(key), value])),
  });
  return {
    circuit: {
      circuitId: dialed.circuit.id,
      address: dialed.circuit.ingress,
      peerData: Object.fromEntries(dialed.peerData),
      tags: dialed.tags,
    },
    sessions: () => sessionsOf(tunnelers, apiSession, session),
  };
}

type HostedTerminator = Omit<CreateTunnelTerminatorV2Request, 'serviceId' | 'startTime'>;

/** Stores a terminator in the name of the router; gives what reads the sessions for the answer. */
async function host(
  options: TunnelerHandlerOptions,
  service: { readonly name: string } | { readonly id: string },
  { precedence, peerData, ...terminator }: HostedTerminator,
) {
  const { fabric, router, tunnelers } = options;
  const apiSession = await sessionOf(options);
  const session = await tunnelers.serviceSession(apiSession, service, 'Bind');
  await fabric.bindings.bind(router().id, {
    ...terminator,
    binding: 'tunnel',
    session: { token: session.token, client: null },
    precedence: precedenceInGraph(precedence),
    peerData: storedPeerData(peerData),
  });
  return () => sessionsOf(tunnelers, apiSession, session);
}

/** A router that follows the data model finds the result by the terminator. */
async function hostInModel(
  options: TunnelerHandlerOptions,
  { serviceId, startTime, ...request }: CreateTunnelTerminatorV2Request,
  frame: Frame,
): Promise<void> {
  const answer = (result: CreateTerminatorResult, msg = ''): void => {
    const message = { terminatorId: request.address, startTime, result, msg };
    const body = messages.CreateTunnelTerminatorV2Response.encode(message);
    options.router().channel.answer(frame, CONTENT.createTunnelTerminatorV2Result, body);
  };
  try {
    await host(options, { id: serviceId }, request);
    answer('Success');
  } catch (error) {
    if (error instanceof BindRefusal) answer(error.result, error.message);
    else if (error instanceof TunnelerRefusal) answer('FailedOther', error.message);
    else {
      // The router tries again.
      answer('FailedBusy', 'the terminator can not be stored now');
      throw error;
    }
  }
}

const sessionOf = (
  { tunnelers, router, address }: TunnelerHandlerOptions,
  login: Partial<TunnelerLogin> = {},
): Promise<TunnelerSession> =>
  tunnelers.session({
    routerId: router().id,
    address,
    configTypes: [],
    envInfo: {},
    sdkInfo: {},
    ...login,
  });

/** Answers with an error when the work is refused. */
async function answering(
  router: ConnectedRouter,
  frame: Frame,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof TunnelerRefusal) refuse(router, frame, ERRORS[error.fault], error.message);
    else if (error instanceof BindRefusal) refuse(router, frame, ERROR.internal, error.message);
    else if (error instanceof DialRefusal) {
      refuse(router, frame, dialErrorOf(error), error.message, error.circuitId);
    } else throw error;
  }
}

/** The sessions that an answer names; the API session only when it is new. */
const sessionsOf = async (
  tunnelers: TunnelerPort,
  apiSession: TunnelerSession,
  session: { readonly id: string; readonly token: string },
) => ({
  apiSession: apiSession.isNew
    ? apiSessionOf(apiSession, await tunnelers.identity(apiSession))
    : undefined,
  session: { sessionId: session.id, token: session.token },
});

function apiSessionOf(
  { id, token }: TunnelerSession,
  identity: TunnelerIdentity,
): CreateApiSessionResponse {
  const precedences = Object.entries(identity.serviceHostingPrecedences).map(
    ([serviceId, precedence]) => [serviceId, precedenceOfRouters(precedence)] as const,
  );
  return {
    sessionId: id,
    token,
    refreshIntervalSeconds: REFRESH_SECONDS,
    identityId: identity.id,
    identityName: identity.name,
    defaultHostingPrecedence: precedenceOfRouters(identity.defaultHostingPrecedence),
    defaultHostingCost: identity.defaultHostingCost,
    appDataJson: JSON.stringify(identity.appData),
    servicePrecedences: Object.fromEntries(precedences),
    serviceCosts: { ...identity.serviceHostingCosts },
  };
}

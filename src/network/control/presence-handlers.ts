import { routers, type RouterFace } from '../../data/rows/router/index.js';
import { sessions } from '../../data/rows/session/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import type { ClientEvent } from '../presence/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import type { DataModelSubscription } from './data-model-subscription.js';
import type { FrameHandler } from './control-channel.js';
import { handle } from './handle.js';
import { messages, type EdgeListener, type IdentityConnectEvents } from '../messages/index.js';
import type { SessionSync } from './session-sync.js';
import { storedInterface } from './stored-interface.js';

export interface PresenceHandlerOptions {
  readonly store: Store;
  readonly router: () => ConnectedRouter;
  readonly sync: () => SessionSync;
  readonly dataModel: () => DataModelSubscription;
  readonly onClients?: ClientReporter | undefined;
}

/** Takes the clients that a router reports; a full state names all of them. */
export type ClientReporter = (
  routerId: string,
  clients: readonly ClientEvent[],
  isFullState: boolean,
) => void;

/** Takes the reports of a router about itself, and about sessions and clients. */
export const presenceHandlers = (
  options: PresenceHandlerOptions,
): ReadonlyMap<number, FrameHandler> => new Map([...ofItself(options), ...ofSessions(options)]);

function ofItself({
  store,
  router,
  sync,
  dataModel,
}: PresenceHandlerOptions): [number, FrameHandler][] {
  return [
    handle(CONTENT.clientHello, messages.ClientHello, async ({ hostname, listeners }) => {
      const { connection } = router();
      const face = { hostname, listeners: addressesOf(listeners) };
      await connection.update({ ...face, syncStatus: 'SYNC_IN_PROGRESS' });
      await sync().sendAll();
      await dataModel().sendAllKeys();
      await connection.update({ syncStatus: 'SYNC_DONE' });
    }),
    handle(CONTENT.subscribeToDataModel, messages.SubscribeToDataModelRequest, (request) =>
      dataModel().subscribe(request),
    ),
    handle(CONTENT.interfaces, messages.RouterInterfacesUpdate, async ({ interfaces }, frame) => {
      await routers.putInterfaces(store, router().id, interfaces.map(storedInterface));
      router().channel.result(frame, true);
    }),
    handle(
      CONTENT.verifyRouter,
      messages.VerifyRouter,
      async ({ routerId, fingerprints }, frame) => {
        const fingerprint = await routers.fingerprintOf(store, routerId);
        const isProved = fingerprint !== null && fingerprints.includes(fingerprint);
        router().channel.result(frame, isProved, isProved ? '' : 'another certificate');
      },
    ),
  ];
}

function ofSessions(options: PresenceHandlerOptions): [number, FrameHandler][] {
  const { store, router, sync, onClients } = options;
  return [
    [CONTENT.probe, () => undefined],
    [CONTENT.requestResync, () => sync().sendAll()],
    handle(CONTENT.apiSessionHeartbeat, messages.ApiSessionHeartbeat, async ({ tokens }) => {
      const unknown = await router().connection.heartbeat(tokens);
      if (unknown.length > 0) sync().removed({ tokens: [...unknown], ids: [] });
    }),
    handle(
      CONTENT.validateSessions,
      messages.ValidateSessionsRequest,
      async ({ sessionTokens }) => {
        const tokens = await sessions.unknownTokens(store, sessionTokens);
        if (tokens.length === 0) return;
        router().tell(CONTENT.sessionRemoved, messages.SessionRemoved, { tokens });
      },
    ),
    handle(CONTENT.connectEvents, messages.ConnectEvents, async ({ events, fullState }) => {
      const clients = events.map(clientEventOf);
      onClients?.(router().id, clients, fullState);
      await router().connection.clients(clients, fullState);
    }),
  ];
}

function addressesOf(listeners: readonly EdgeListener[]): RouterFace['listeners'] {
  return Object.fromEntries(
    listeners.flatMap(({ advertise }) => {
      if (!advertise) return [];
      const { protocol, hostname, port } = advertise;
      return [[protocol, `${protocol}://${hostname}:${String(port)}`]];
    }),
  );
}

function clientEventOf({
  identityId,
  isConnected,
  connectTimes,
}: IdentityConnectEvents): ClientEvent {
  const times = connectTimes.map(({ connectTime }) => connectTime).filter((time) => time > 0);
  if (times.length === 0) return { identityId, isConnected };
  return { identityId, isConnected, connectedAt: new Date(Math.min(...times)) };
}

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  CloseCode,
  handleProtocols,
  makeServer,
  MessageType,
  type Server,
  type SubscribePayload,
} from 'graphql-ws';
import { GraphQLError, parse, type ExecutionArgs } from 'graphql';
import { WebSocketServer, type WebSocket } from 'ws';
import type { ApiError } from '../../base/errors.js';
import { refuseHarmfulJson } from '../../base/json-text.js';
import { isObject } from '../../base/row.js';
import type { RequestLimits } from '../../requests/limits/index.js';
import type { CallerRequest } from '../request-sessions.js';
import { apiErrorOf } from '../format-error.js';
import type { OnUnexpected } from '../result.js';
import { closeAll, keepAlive } from './lasting-sockets.js';
import { MessageGate, TRY_AGAIN_LATER } from './message-gate.js';
import { refusalOf } from './subscription-refusal.js';
import type { Results } from './results.js';
import type { Subscriptions } from './subscriptions.js';

interface ConnectionState {
  readonly socket: WebSocket;
  /** Includes the credentials from `connection_init`. */
  request: CallerRequest;
  isAcknowledged: boolean;
}

/** Hands a message to the protocol library. */
type MessageHandler = (message: string) => Promise<void>;

const MAX_MESSAGE_BYTES = 256 * 1024;
/** Clients connect again after `Forbidden`, with a new token, and begin their subscriptions again. */
const EXPIRED = 'the access token has expired';
const PONG = JSON.stringify({ type: MessageType.Pong });

/** Subscriptions by the protocol graphql-transport-ws. */
export class WebSocketDoor {
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols,
  });
  readonly #protocol: Server<ConnectionState>;

  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly limits: RequestLimits,
    private readonly onUnexpected: OnUnexpected,
  ) {
    this.#protocol = makeServer<Record<string, unknown>, ConnectionState>({
      onConnect: ({ extra, connectionParams }) => this.connected(extra, connectionParams),
      onSubscribe: async ({ extra }, id, payload) => {
        try {
          return runningAs(await this.started(extra, id, payload));
        } catch (error) {
          const refusal = refusalOf(error, onUnexpected).error;
          const { extensions = {} } = refusal;
          return [new GraphQLError(refusal.message, { extensions })];
        }
      },
      subscribe: ({ rootValue }) => rootValue as Results,
    });
    this.#sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
      this.serve(socket, request);
    });
  }

  /** Upgrades sockets of its path and refuses others. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    if (/^\/graphql\/?(?:\?|$)/.test(request.url ?? '')) {
      this.#sockets.handleUpgrade(request, socket, head, (opened) => {
        this.#sockets.emit('connection', opened, request);
      });
    } else {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n');
    }
  };

  /** Closes all sockets, with the reason that the controller stops. */
  stop(): Promise<void> {
    return closeAll(this.#sockets);
  }

  private async connected(extra: ConnectionState, connectionParams: unknown): Promise<boolean> {
    extra.request = withCredentials(extra.request, connectionParams);
    const { request, socket } = extra;
    try {
      const ignoreExpiry = await this.limits.serveMessage(request, (message) =>
        this.subscriptions.admitSocket(message, () => {
          socket.close(CloseCode.Forbidden, EXPIRED);
        }),
      );
      if (ignoreExpiry) socket.once('close', ignoreExpiry);
      // The client may have left meanwhile.
      if (socket.readyState !== socket.OPEN) ignoreExpiry?.();
      extra.isAcknowledged = ignoreExpiry !== undefined;
      return extra.isAcknowledged;
    } catch (error) {
      // Without an answer about the session it is unknown whether the client may connect.
      if (!apiErrorOf(error)) throw error;
      socket.close(TRY_AGAIN_LATER, 'the controller is busy');
      return false;
    }
  }

  private started(
    { socket, request }: ConnectionState,
    id: string,
    { query, variables, operationName }: SubscribePayload,
  ): Promise<Results> {
    const cutOff = (error: ApiError): void => {
      this.cutOff(socket, id, error);
    };
    const graphQuery = {
      query,
      variables: variables ?? {},
      operationName: operationName ?? undefined,
    };
    return this.limits.serveMessage(request, (message) =>
      this.subscriptions.start(message, graphQuery, cutOff),
    );
  }

  private serve(socket: WebSocket, request: IncomingMessage): void {
    const gate = new MessageGate(this.limits, socket, this.onUnexpected);
    const extra: ConnectionState = { socket, request, isAcknowledged: false };
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        // Resolves when the bytes are sent: so a slow reader delays only its own subscription.
        send: (data) =>
          new Promise((resolve) => {
            if (socket.readyState !== socket.OPEN) resolve();
            else
              socket.send(data, () => {
                resolve();
              });
          }),
        close: (code, reason) => {
          socket.close(code, reason);
        },
        // Sends no payload of the client back, which would come at the client's pace.
        onPing: () => {
          socket.send(PONG, () => undefined);
        },
        onMessage: (handleMessage) => {
          socket.on('message', (data: Buffer) => {
            if (socket.readyState !== socket.OPEN) return;
            if (!gate.admits(data, extra.request, extra.isAcknowledged)) return;
            this.receive(socket, data.toString(), handleMessage);
          });
        },
      },
      extra,
    );
    // The close event that follows is handled below.
    socket.on('error', () => undefined);
    const stopPinging = keepAlive(socket);
    socket.once('close', (code: number, reason: Buffer) => {
      stopPinging();
      closed(code, reason.toString()).catch((error: unknown) => {
        this.onUnexpected(error, '');
      });
    });
  }

  private receive(socket: WebSocket, message: string, handleMessage: MessageHandler): void {
    try {
      refuseHarmfulJson(message);
    } catch (error) {
      socket.close(CloseCode.BadRequest, closeReason(error));
      return;
    }
    handleMessage(message).catch((error: unknown) => {
      this.onUnexpected(error, '');
      socket.close(CloseCode.InternalServerError, 'Internal server error');
    });
  }

  private cutOff(socket: WebSocket, id: string, error: ApiError): void {
    const refusal = refusalOf(error, this.onUnexpected).error;
    socket.send(JSON.stringify({ id, type: 'error', payload: [refusal] }), () => undefined);
    // The client loses the connection even if it never reads again.
    socket.close(TRY_AGAIN_LATER, 'nothing was taken for too long');
  }
}

/** The library requires arguments of an execution, but the subscription is already running. */
const runningAs = (results: Results): ExecutionArgs => ({
  schema: undefined as never,
  document: SUBSCRIPTION,
  rootValue: results,
  contextValue: undefined,
});

const SUBSCRIPTION = parse('subscription { running }');

/** At most 123 bytes (RFC 6455 5.5). */
function closeReason(error: unknown): string {
  const { detail } = error as ApiError;
  if (detail?.kind === 'field') return 'a message holds NUL or half a character';
  return 'a message is no JSON, or nested too deep';
}

/** Browsers can not set headers of a WebSocket, so `connection_init` may carry them. */
function withCredentials(
  { headers, rawHeaders, socket }: CallerRequest,
  connectionParams: unknown,
): CallerRequest {
  const { 'zt-session': session, authorization } = isObject(connectionParams)
    ? connectionParams
    : {};
  const authorizations = textsIn(authorization);
  const [first] = authorizations;
  return {
    socket,
    headers: {
      ...headers,
      ...(typeof session === 'string' ? { 'zt-session': session } : {}),
      ...(first === undefined ? {} : { authorization: first }),
    },
    rawHeaders: [...authorizations.flatMap((each) => ['authorization', each]), ...rawHeaders],
  };
}

/** One text or several: a second factor may come as another bearer token beside an access token. */
const textsIn = (value: unknown): string[] =>
  [value].flat().filter((each) => typeof each === 'string');

import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { errorEnvelope } from '../../../rest-compat/index.js';
import { failure, retryAfterOf } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import type { LiveEvents } from '../../network/events/index.js';
import {
  apiErrorOf,
  closeAll,
  type LastingConnection,
  type RunMessage,
  type Subscriptions,
} from '../../graph/index.js';
import { ADMIN } from '../../kernel/declare/permissions.js';
import type { RequestLimits } from '../../requests/limits/index.js';
import { ManagementConnection, MAX_MESSAGE_BYTES } from './management-connection.js';

export interface ManagementDoorOptions {
  readonly subscriptions: Subscriptions;
  readonly limits: RequestLimits;
  readonly liveEvents: LiveEvents;
  readonly runMessage: RunMessage;
  /** Called with the names of types of events that do not exist. */
  readonly onUnknownType: (name: string) => void;
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

/** Events show the states of all entities, whatever else a session may read. */
const PERMISSION = ADMIN;
const PATH = /^\/fabric\/v1\/ws-api\/?(?:\?|$)/;

/** The WebSocket on which operators watch events, as the command line of the public product does. */
export class ManagementDoor {
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });

  constructor(private readonly options: ManagementDoorOptions) {}

  /** Whether a request is for this door. */
  readonly serves = ({ url = '' }: IncomingMessage): boolean => PATH.test(url);

  /** Upgrades a socket whose session has the permission, and refuses others. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    this.admit(request, socket, head).catch((error: unknown) => {
      this.refuse(socket, error);
    });
  };

  /** Closes all sockets, with the reason that the controller stops. */
  stop(): Promise<void> {
    return closeAll(this.#sockets);
  }

  private async admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { limits, subscriptions } = this.options;
    let connection: ManagementConnection | undefined;
    const lasting = await limits.serveMessage(request, (message) =>
      subscriptions.admitLasting(message, PERMISSION, () => {
        if (connection) connection.end();
        else socket.destroy();
      }),
    );
    // A client that left meanwhile gets no connection.
    if (socket.destroyed) lasting.leave();
    socket.once('close', lasting.leave);
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      connection = this.connect(opened, request, lasting);
    });
  }

  private connect(
    socket: WebSocket,
    request: IncomingMessage,
    { checked }: LastingConnection,
  ): ManagementConnection {
    const { limits, subscriptions } = this.options;
    return new ManagementConnection({
      ...this.options,
      ...{ socket, request, checked },
      subscribe: (query, onStalled) =>
        limits.serveMessage(request, (message) => subscriptions.start(message, query, onStalled)),
    });
  }

  private refuse(socket: Duplex, error: unknown): void {
    const requestId = newId();
    const apiError = apiErrorOf(error);
    if (!apiError) this.options.onUnexpected(error, requestId);
    const shown = apiError ?? failure('UNHANDLED');
    const body = errorEnvelope(shown, requestId);
    const retryAfter = retryAfterOf(shown);
    const head = [
      `HTTP/1.1 ${String(shown.status)} ${STATUS_CODES[shown.status] ?? ''}`,
      'content-type: application/json',
      `content-length: ${String(Buffer.byteLength(body))}`,
      'cache-control: no-store',
      ...(retryAfter === undefined ? [] : [`retry-after: ${String(retryAfter)}`]),
      ...(shown.challenge === undefined ? [] : [`www-authenticate: ${shown.challenge}`]),
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
}

import type { Socket } from 'node:net';
import { hostPortText } from '../../base/host-port.js';

/** One end of a connection; empty for a socket that is closed. */
export interface NetworkEnd {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

/** The ends of a connection of a router, which another controller may have accepted. */
export interface ConnectionEnds {
  readonly router: NetworkEnd;
  readonly controller: NetworkEnd;
}

export const endsOf = (socket: Socket): ConnectionEnds => ({
  router: { host: socket.remoteAddress, port: socket.remotePort },
  controller: { host: socket.localAddress, port: socket.localPort },
});

/** `host:port`; empty for a socket that is closed. */
export const endText = ({ host, port }: NetworkEnd): string =>
  host === undefined || port === undefined ? '' : hostPortText({ host, port });

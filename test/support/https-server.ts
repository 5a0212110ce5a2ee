import type { RequestListener } from 'node:http';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { httpsServer, listen } from '../../src/programs/controller/listener.js';
import type { LiveKeys } from '../../src/trust/pki/index.js';

export interface TestServer {
  readonly server: Server;
  readonly port: number;
  close(): void;
}

/** The listener of a controller, without limits of connections. */
export async function serveHttps(app: RequestListener, keys: LiveKeys): Promise<TestServer> {
  const server = httpsServer(app, keys);
  const acceptor = await listen(
    { host: '127.0.0.1', port: 0 },
    { connections: 0, addressConnections: 0, addressRate: 0 },
    (socket) => server.emit('connection', socket),
  );
  return {
    server,
    port: (acceptor.address() as AddressInfo).port,
    close: () => {
      acceptor.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

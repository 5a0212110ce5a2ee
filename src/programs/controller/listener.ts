import { constants } from 'node:crypto';
import {
  createServer as createPlainServer,
  type RequestListener,
  type Server as PlainServer,
} from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { createServer as createAcceptor, type Server as Acceptor } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { HostPort } from '../configuration.js';
import {
  CONNECTION_OPTIONS,
  limitConnections,
  limitMessages,
  type ConnectionLimits,
  type Receiver,
} from '../../requests/limits/index.js';
import type { MessageClasses } from '../../edge/express-messages.js';
import type { KeyMaterial, LiveKeys } from '../../trust/pki/index.js';
import { BUFFER_BYTES } from './shared-port.js';
import { StartError } from '../../base/start-error.js';

/**
 * An HTTPS server for connections that are accepted elsewhere, each passed to it by
 * `emit('connection', socket)`. It uses new key material as soon as that is loaded.
 */
export function httpsServer(
  app: RequestListener,
  keys: LiveKeys,
  messages: MessageClasses = {},
): Server {
  const server = createServer(
    {
      ...messages,
      ...secureOptions(keys.current),
      // Logins verify the chains: the authority of a client certificate may be added while the
      // server runs.
      requestCert: true,
      rejectUnauthorized: false,
      ...CONNECTION_OPTIONS,
    },
    app,
  );
  // Open connections continue; new handshakes use the new certificate.
  keys.onChange((next) => {
    server.setSecureContext(secureOptions(next));
  });
  server.on('secureConnection', readThroughStream);
  limitMessages(server);
  // From this event on, Node checks the time limits of requests.
  server.emit('listening');
  return server;
}

/**
 * Connections that may wait to be accepted; the system caps it (`net.core.somaxconn`). One is accepted in each
 * turn of the event loop, and with the 511 of Node those that come beyond are reset: all clients come together
 * after a restart.
 */
const BACKLOG = 4_096;

/**
 * Accepts connections at an address and passes them on, within limits. Errors name the variable that the address
 * comes from; by default it comes from `OVERGRAPH_HOST` and `OVERGRAPH_PORT`.
 */
export async function listen(
  at: HostPort,
  limits: ConnectionLimits,
  receive: Receiver,
  variable?: string,
): Promise<Acceptor> {
  // Nothing may be read before a connection is at the process that serves it.
  const acceptor = createAcceptor({
    pauseOnConnect: true,
    noDelay: true,
    highWaterMark: BUFFER_BYTES,
  });
  limitConnections(acceptor, limits, receive);
  await open(acceptor, at, variable);
  return acceptor;
}

/** Monitors are few; others at this port must not use up the file handles of the process. */
const MAX_MONITORS = 64;

/**
 * Serves requests without TLS at an address. While thousands of clients come together, a connection to the
 * shared port waits for seconds in their queue; a probe with a time limit must not.
 */
export async function listenForMonitors(at: HostPort, app: RequestListener): Promise<PlainServer> {
  const server = createPlainServer(CONNECTION_OPTIONS, app);
  server.maxConnections = MAX_MONITORS;
  limitMessages(server);
  await open(server, at, 'OVERGRAPH_HEALTH_LISTEN');
  return server;
}

function open(server: Acceptor, at: HostPort, variable: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(portFault(error, at, variable));
    });
    server.listen({ ...at, backlog: BACKLOG }, resolve);
  });
}

/**
 * Makes the HTTP parser read from the stream of a connection. By default it reads from the TLS
 * engine, and a paused engine still delivers the records that it has. While a large answer is being
 * sent, the body of the next request then reaches a paused parser, and the connection is reset with
 * "Parse Error: Paused". A stream buffers the records until it resumes. Node detaches the parser
 * from the engine permanently when a listener for data is added.
 */
function readThroughStream(socket: TLSSocket): void {
  const ignore = (): void => undefined;
  socket.on('data', ignore);
  socket.off('data', ignore);
}

/**
 * The ciphers that current clients need: for TLS 1.2 only those with forward secrecy and
 * authenticated encryption. CBC is left out for its padding attacks, CCM8 for its short tags. The
 * first three are those of TLS 1.3.
 */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** The options that every new secure context must repeat; otherwise it would use defaults. */
export const secureOptions = ({ server }: KeyMaterial): ServerOptions => ({
  cert: server.certificateChainPem,
  key: server.privateKeyPem,
  minVersion: 'TLSv1.2',
  ciphers: CIPHERS,
  // A connection that is resumed by a ticket has the client's certificate without its chain.
  secureOptions: constants.SSL_OP_NO_TICKET,
});

function portFault(
  error: NodeJS.ErrnoException,
  { host, port }: HostPort,
  variable: string | undefined,
): Error {
  const place = `${host}:${String(port)}`;
  const portVariable = variable ?? 'OVERGRAPH_PORT';
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `${place} is in use by another program`,
      `stop it, or set ${portVariable} to a free port`,
    );
  }
  if (error.code === 'EACCES') {
    return new StartError(
      `this account may not listen on ${place}`,
      `set ${portVariable} to a port above 1023`,
    );
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new StartError(
      `${host} is no address of this machine`,
      `set ${variable ?? 'OVERGRAPH_HOST'} to one, or to 0.0.0.0`,
    );
  }
  return error;
}

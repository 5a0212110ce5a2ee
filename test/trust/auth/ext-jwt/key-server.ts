import { afterEach } from '@jest/globals';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { JwksKeys, type JwksKeysOptions } from '../../../../src/trust/auth/ext-jwt/index.js';
import { ecPair, jwkOf, NOW, signer } from './support.js';

export interface KeyServer {
  readonly port: number;
  /** On 127.0.0.1, without a slash at its end. */
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  readonly close: () => Promise<void>;
}

/** `close` ends its connections as well. */
async function startKeyServer(
  answer: RequestListener,
  tls?: { readonly cert: string; readonly key: string },
): Promise<KeyServer> {
  const asked: string[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const servers: KeyServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A server on loopback until the end of the test; with `tls` it speaks HTTPS. */
export async function serve(...args: Parameters<typeof startKeyServer>): Promise<KeyServer> {
  const server = await startKeyServer(...args);
  servers.push(server);
  return server;
}

/** A port of loopback at which nobody listens. */
export async function freePort(): Promise<number> {
  const { port, close } = await startKeyServer(() => undefined);
  await close();
  return port;
}

export const old = ecPair('P-256');
/** The key that follows `old`. */
export const next = ecPair('P-256');
export const setOf = (...keys: unknown[]): string => JSON.stringify({ keys });
export const oldSet = setOf(jwkOf('old', old));

/** Keys with a clock that stands still until it is moved, and what they complained of. */
export function setUp(options: Partial<JwksKeysOptions> = {}) {
  const faults: string[] = [];
  const time = { now: NOW.getTime() };
  const keys = new JwksKeys({
    clock: () => new Date(time.now),
    allowPrivate: true,
    graceMs: GRACE_MS,
    leewayMs: 0,
    onFault: (endpoint, reason) => faults.push(`${endpoint} ${reason}`),
    ...options,
  });
  const reasons = () => faults.map((fault) => fault.replace(/^\S* /, ''));
  /** The key of a signer with this endpoint, for a token with acceptable claims. */
  const find = async (endpoint: string, kid: string) => {
    const owner = { ...signer, id: endpoint, jwksEndpoint: endpoint };
    return (await keys.find(owner, kid)) ?? (await keys.findNewer(owner, kid, undefined));
  };
  return { keys, find, faults, reasons, time };
}

export const GRACE_MS = 300_000;

import { connect, type Socket } from 'node:net';
import type { HostAndPort } from '../../base/host-port.js';
import type { NetworkEnd } from '../../network/control/index.js';
import {
  ACCEPTED,
  CHALLENGE_BYTES,
  KEEP_ALIVE_MILLIS,
  PASSAGE_HEAD,
  proofOf,
} from './passage-proof.js';
import { readBytes } from './read-bytes.js';

/** A controller that does not answer in this time is asked again later. */
const PASSAGE_MILLIS = 3_000;

/**
 * Opens a connection to the controller that serves the routers, for the bytes of one router.
 * @throws Error if it is not reached, or does not serve routers
 */
export async function openPassage(
  to: HostAndPort,
  { secretKey, router }: { readonly secretKey: Buffer; readonly router: NetworkEnd },
): Promise<Socket> {
  const socket = connect({
    ...to,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MILLIS,
  });
  let fault: Error | undefined;
  socket.on('error', (error) => (fault = error));
  const limit = setTimeout(() => socket.destroy(), PASSAGE_MILLIS);
  try {
    socket.write(PASSAGE_HEAD);
    const challenge = await readBytes(socket, CHALLENGE_BYTES);
    socket.write(proofOf(secretKey, challenge, router));
    const [verdict] = await readBytes(socket, 1);
    if (verdict !== ACCEPTED) throw new Error('the other controller does not serve the routers');
    return socket;
  } catch (error) {
    socket.destroy();
    throw fault ?? error;
  } finally {
    clearTimeout(limit);
  }
}

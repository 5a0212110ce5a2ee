import type { WebSocket, WebSocketServer } from 'ws';

const PING_MILLIS = 30_000;
/** The time for a client to answer the end of its socket. */
const FAREWELL_MILLIS = 2_000;
const GOING_AWAY = 1001;

/** Closes all sockets, with the reason that the controller stops; accepts no more. */
export async function closeAll(server: WebSocketServer): Promise<void> {
  const closings = [...server.clients].map(
    (socket) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          socket.terminate();
        }, FAREWELL_MILLIS);
        socket.once('close', () => {
          clearTimeout(timer);
          resolve();
        });
        socket.close(GOING_AWAY, 'the controller stops');
      }),
  );
  server.close();
  await Promise.all(closings);
}

/** Ends the socket of a silent client; a client that only does not read is ended elsewhere. */
export function keepAlive(socket: WebSocket): () => void {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (socket.bufferedAmount > 0) return;
    if (!isAlive) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
  }, PING_MILLIS);
  return () => {
    clearInterval(timer);
  };
}

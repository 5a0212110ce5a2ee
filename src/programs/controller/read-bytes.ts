import type { Socket } from 'node:net';

/** Reads exactly so many bytes; what follows them stays in the socket, which is paused again. */
export function readBytes(socket: Socket, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const end = (): void => {
      socket.off('data', read).off('close', closed).pause();
    };
    const closed = (): void => {
      end();
      reject(new Error('the connection ended before its bytes came'));
    };
    const read = (piece: Buffer): void => {
      bytes = Buffer.concat([bytes, piece]);
      if (bytes.length < length) return;
      end();
      if (bytes.length > length) socket.unshift(bytes.subarray(length));
      resolve(bytes.subarray(0, length));
    };
    if (socket.destroyed) {
      closed();
      return;
    }
    socket.on('data', read).once('close', closed).resume();
  });
}

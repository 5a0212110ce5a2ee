import type { Duplex } from 'node:stream';
import type { Frame, FrameReader } from './frame.js';

const HELLO_MILLIS = 5_000;

/**
 * Gives the first frame of a connection; undefined when it ends or is silent for too long. Later
 * bytes stay in the reader, and in the connection, which is paused.
 * @throws FrameError for bytes that are no frame
 */
export function firstFrame(socket: Duplex, reader: FrameReader): Promise<Frame | undefined> {
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      clearTimeout(timer);
      socket.off('data', receive).off('close', none).pause();
    };
    const none = (): void => {
      finish();
      resolve(undefined);
    };
    const receive = (piece: Buffer): void => {
      reader.push(piece);
      try {
        const frame = reader.next();
        if (!frame) return;
        finish();
        resolve(frame);
      } catch (error) {
        finish();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const timer = setTimeout(none, HELLO_MILLIS);
    socket.on('data', receive).once('close', none);
  });
}

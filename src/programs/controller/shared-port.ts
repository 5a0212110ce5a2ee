import type { Socket } from 'node:net';
import type { Receiver } from '../../requests/limits/index.js';
import { offeredProtocols } from './client-hello.js';

/** The protocol that routers offer for their control channel. */
export const CONTROL_PROTOCOL = 'ziti-ctrl';

const START_MILLIS = 10_000;
/** A start in more pieces, or with more bytes, is none of a router. */
const MAX_PIECES = 16;
const MAX_BYTES = 16_384;

/**
 * The buffer of accepted sockets. A socket on its way to another process must not read: its bytes
 * would be lost. A paused socket reads until its buffer is full, so the buffer holds one byte.
 */
export const BUFFER_BYTES = 1;

/**
 * The connections of a port that routers and other clients share. A client names its protocol in the
 * first bytes of its handshake. They are read here and go with the connection, which is handed on
 * before its handshake, also to another process.
 */
export class SharedPort {
  /** Connections whose protocol is not known yet. */
  readonly #undecided = new Set<Socket>();

  constructor(
    private readonly routers: Receiver,
    private readonly others: Receiver,
  ) {}

  readonly receive: Receiver = (socket, onClosed) => {
    let start = Buffer.alloc(0);
    let pieces = 0;
    const closed = (): void => {
      clearTimeout(timer);
      this.#undecided.delete(socket);
      onClosed();
    };
    const read = (piece: Buffer): void => {
      start = Buffer.concat([start, piece]);
      pieces += 1;
      const isLong = pieces >= MAX_PIECES || start.length >= MAX_BYTES;
      const protocols = offeredProtocols(start) ?? (isLong ? [] : undefined);
      if (!protocols) return;
      clearTimeout(timer);
      this.#undecided.delete(socket);
      socket.off('data', read).off('close', closed).pause();
      // Bytes in its buffer stop a socket with `BUFFER_BYTES` from reading more.
      socket.unshift(start);
      const receive = protocols.includes(CONTROL_PROTOCOL) ? this.routers : this.others;
      receive(socket, onClosed, start);
    };
    const timer = setTimeout(() => socket.destroy(), START_MILLIS).unref();
    this.#undecided.add(socket);
    socket.on('data', read).once('close', closed);
    socket.resume();
  };

  /** Closes the connections that have not named a protocol. */
  stop(): void {
    for (const socket of this.#undecided) socket.destroy();
  }
}

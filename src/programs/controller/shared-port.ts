import type { Socket } from 'node:net';
import type { Receiver } from '../../requests/limits/index.js';
import { offeredProtocols } from './client-hello.js';
import { PASSAGE_HEAD } from './passage-proof.js';

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

/** What serves the connections of a port. */
interface Receivers {
  readonly routers: Receiver;
  /** Serves connections of routers that other controllers pass on; their head is read. */
  readonly passages: Receiver;
  readonly others: Receiver;
}

/**
 * The connections of a port that routers and other clients share. A client names its protocol in the
 * first bytes of its handshake. They are read here and go with the connection, which is handed on
 * before its handshake, also to another process.
 */
export class SharedPort {
  /** Connections whose protocol is not known yet. */
  readonly #undecided = new Set<Socket>();

  constructor(private readonly receivers: Receivers) {}

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
      const kind = kindOf(start) ?? (isLong ? 'others' : undefined);
      if (!kind) return;
      clearTimeout(timer);
      this.#undecided.delete(socket);
      socket.off('data', read).off('close', closed).pause();
      const rest = kind === 'passages' ? start.subarray(PASSAGE_HEAD.length) : start;
      // Bytes in its buffer stop a socket with `BUFFER_BYTES` from reading more.
      if (rest.length > 0) socket.unshift(rest);
      this.receivers[kind](socket, onClosed, rest);
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

/** Whose connection begins so; undefined while that is open. */
function kindOf(start: Buffer): keyof Receivers | undefined {
  const head = start.subarray(0, PASSAGE_HEAD.length);
  if (PASSAGE_HEAD.subarray(0, head.length).equals(head)) {
    return head.length < PASSAGE_HEAD.length ? undefined : 'passages';
  }
  const protocols = offeredProtocols(start);
  return protocols && (protocols.includes(CONTROL_PROTOCOL) ? 'routers' : 'others');
}

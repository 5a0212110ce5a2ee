import type { Duplex } from 'node:stream';
import { LoopTurns } from '../../base/loop-turns.js';
import {
  bytesOf,
  encodeFrame,
  encodeHead,
  FRAME_LIMITS,
  piecesOf,
  type Body,
  type Frame,
  type FrameReader,
  type SentFrame,
} from './frame.js';

/** A router that leaves more unread is disconnected: nothing is kept for it without end. */
const MAX_UNREAD_BYTES = 64 << 20;
/** A larger body is written in pieces of this size, as its router reads them. */
const PIECE_BYTES = 256 << 10;
/** So many pieces are written in one turn of the event loop, to all routers together: some milliseconds. */
const PIECES_PER_TURN = 4;
/** A peer that reads nothing does not keep a connection open for longer. */
const CLOSE_MILLIS = 1_000;
const NOTHING = Buffer.alloc(0);

/** The state of the bytes that waited for a router to read: some left meanwhile, none left, or none waited. */
type WriteProgress = 'draining' | 'stuck' | 'idle';

export interface UnderlayEvents {
  readonly onFrame: (frame: Frame) => void;
  /** Called when the connection is over, with the reason if its router is at fault. */
  readonly onEnd: (fault: string | undefined) => void;
}

/** A connection that carries the frames of a control channel in both directions. */
export class Underlay {
  #events: UnderlayEvents | undefined;
  /** Frames behind one that is being written in pieces. */
  #behind: SentFrame[] | undefined;
  #behindBytes = 0;
  #inPieces: Promise<void> = Promise.resolve();
  #writtenBytes = 0;
  /** The bytes that had left when the progress was measured, and whether others waited then. */
  #measured = { leftBytes: 0, isWaiting: false };

  constructor(
    private readonly socket: Duplex,
    private readonly reader: FrameReader,
    private readonly turns = newWriteTurns(),
  ) {
    reader.limits = FRAME_LIMITS;
  }

  /** Sets what is called from now on. */
  attach(events: UnderlayEvents): void {
    this.#events = events;
    this.socket.once('close', () => {
      events.onEnd(undefined);
    });
  }

  /** Begins to read, with what arrived before. */
  start(): void {
    // Its end was before it was attached.
    if (this.socket.destroyed) {
      this.#events?.onEnd(undefined);
      return;
    }
    this.socket.on('data', (piece: Buffer) => {
      this.receive(piece);
    });
    this.receive(Buffer.alloc(0));
    this.socket.resume();
  }

  send(frame: SentFrame): void {
    const bytes = bytesOf(frame.body);
    if (this.#behind) {
      this.#behind.push(frame);
      this.#behindBytes += bytes;
    } else if (bytes > PIECE_BYTES) this.#inPieces = this.sendInPieces(frame);
    else this.write(encodeFrame(frame));
    if (this.socket.writableLength + this.#behindBytes > MAX_UNREAD_BYTES) {
      this.fail('it does not read what is sent to it');
    }
  }

  /** Measures what has left since the last call. */
  measureProgress(): WriteProgress {
    const earlier = this.#measured;
    const { writableLength } = this.socket;
    const leftBytes = this.#writtenBytes - writableLength;
    this.#measured = { leftBytes, isWaiting: this.#behind !== undefined || writableLength > 0 };
    if (!earlier.isWaiting) return 'idle';
    return leftBytes > earlier.leftBytes ? 'draining' : 'stuck';
  }

  /** Resolves when the router has read enough for the next large frame, or is gone. */
  async ready(): Promise<void> {
    while (this.#behind) await this.#inPieces;
    await this.drained();
  }

  /** Resolves when all that was sent is written, or the connection is gone. */
  async written(): Promise<void> {
    while (this.#behind) await this.#inPieces;
    // Writes end in their order, with an error on a closed connection.
    await new Promise<void>((resolve) => {
      this.socket.write(NOTHING, () => {
        resolve();
      });
    });
  }

  /** Writes a large frame, and what is sent meanwhile behind it. */
  private async sendInPieces(frame: SentFrame): Promise<void> {
    const behind: SentFrame[] = [];
    this.#behind = behind;
    for (let next: SentFrame | undefined = frame; next; next = behind.shift()) {
      if (next !== frame) this.#behindBytes -= bytesOf(next.body);
      if (bytesOf(next.body) > PIECE_BYTES) await this.writeInPieces(next);
      else if (this.socket.writable) this.write(encodeFrame(next));
      // Written at once, many frames would leave at once as well, and a slow router would seem to read nothing.
      await this.drained();
    }
    this.#behind = undefined;
  }

  /** Writes a frame whose bytes other connections share: they are copied piece by piece. */
  private async writeInPieces(frame: SentFrame): Promise<void> {
    if (this.socket.writable) this.write(encodeHead(frame));
    for (const piece of smallPieces(frame.body)) {
      await this.turns.next();
      if (!this.socket.writable) break;
      this.write(piece);
      await this.drained();
    }
  }

  private write(bytes: Buffer): void {
    this.#writtenBytes += bytes.length;
    this.socket.write(bytes);
  }

  private async drained(): Promise<void> {
    if (this.socket.destroyed || !this.socket.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.socket.off('drain', done).off('close', done);
        resolve();
      };
      this.socket.on('drain', done).on('close', done);
    });
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Ends the connection after what was sent. */
  end(): void {
    this.#events = undefined;
    this.socket.end();
    setTimeout(() => this.socket.destroy(), CLOSE_MILLIS).unref();
  }

  private receive(piece: Buffer): void {
    this.reader.push(piece);
    try {
      for (let frame = this.reader.next(); frame && this.#events; frame = this.reader.next()) {
        this.#events.onFrame(frame);
      }
    } catch {
      this.fail('it sent something that is no frame');
    }
  }

  private fail(fault: string): void {
    this.socket.destroy();
    this.#events?.onEnd(fault);
  }
}

/** The turns for the large frames of several connections. */
export const newWriteTurns = (): LoopTurns => new LoopTurns(PIECES_PER_TURN);

function* smallPieces(body: Body): Generator<Buffer> {
  for (const piece of piecesOf(body)) {
    for (let from = 0; from < piece.length; from += PIECE_BYTES) {
      yield piece.subarray(from, from + PIECE_BYTES);
    }
  }
}

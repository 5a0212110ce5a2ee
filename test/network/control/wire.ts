import { Duplex } from 'node:stream';
import { FRAME_LIMITS, FrameReader, type Frame } from '../../../src/network/control/frame.js';

/** A connection that notes what is written to it; nothing is read from it while it is stuck. */
export class Wire extends Duplex {
  readonly written: Frame[] = [];
  isStuck = false;
  /** Reads what it is stuck at. */
  #readPiece: (() => void) | undefined;
  readonly #reader = new FrameReader(FRAME_LIMITS);

  override _read(): void {
    // The test pushes.
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    const read = (): void => {
      this.#reader.push(bytes);
      for (let frame = this.#reader.next(); frame; frame = this.#reader.next()) {
        this.written.push(frame);
      }
      done();
    };
    if (this.isStuck) this.#readPiece = read;
    else read();
  }

  /** Reads one piece of what is written, and is stuck at the next one. */
  readPiece(): void {
    const read = this.#readPiece;
    this.#readPiece = undefined;
    read?.();
  }

  /** Reads all that is written, also later. */
  readAll(): void {
    this.isStuck = false;
    this.readPiece();
  }
}

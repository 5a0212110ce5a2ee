import { decodeFrame, FRAME_LIMITS, type Frame } from '../../src/network/control/frame.js';

const HEAD_BYTES = 20;
/** Larger bodies are not read. */
const MAX_READ_BYTES = 1 << 20;
const NOTHING = Buffer.alloc(0);

/**
 * Reads frames as the reader of the product does, but of a large body only the length: what a hundred routers
 * would keep does not fit into one process, and to copy it would take the time that is measured.
 */
export class LightReader {
  #unread: Buffer = NOTHING;
  readonly #frames: Frame[] = [];
  /** The frame whose body is being passed over, and how much of it is to come. */
  #passed: { readonly frame: Frame; left: number } | undefined;

  push(piece: Buffer): void {
    const rest = this.pass(piece);
    if (rest.length === 0) return;
    this.#unread = this.#unread.length === 0 ? rest : Buffer.concat([this.#unread, rest]);
    while (this.readOne());
  }

  next(): Frame | undefined {
    return this.#frames.shift();
  }

  /** Gives what comes behind the body that is being passed over. */
  private pass(piece: Buffer): Buffer {
    if (!this.#passed) return piece;
    const count = Math.min(this.#passed.left, piece.length);
    this.#passed.left -= count;
    if (this.#passed.left === 0) {
      this.#frames.push(this.#passed.frame);
      this.#passed = undefined;
    }
    return piece.subarray(count);
  }

  private readOne(): boolean {
    const unread = this.#unread;
    if (unread.length < HEAD_BYTES) return false;
    const bodyStart = HEAD_BYTES + unread.readUInt32LE(12);
    const bodyBytes = unread.readUInt32LE(16);
    if (bodyBytes > MAX_READ_BYTES) return this.passLarge(bodyStart, bodyBytes);
    const end = bodyStart + bodyBytes;
    if (unread.length < end) return false;
    this.#frames.push(decodeFrame(unread.subarray(0, end), FRAME_LIMITS));
    this.#unread = unread.subarray(end);
    return true;
  }

  private passLarge(bodyStart: number, bodyBytes: number): boolean {
    const unread = this.#unread;
    if (unread.length < bodyStart) return false;
    const head = Buffer.from(unread.subarray(0, bodyStart));
    head.writeUInt32LE(0, 16);
    // Zeros that are not touched take no memory.
    const frame = { ...decodeFrame(head, FRAME_LIMITS), body: Buffer.alloc(bodyBytes) };
    this.#passed = { frame, left: bodyBytes };
    this.#unread = NOTHING;
    this.#unread = this.pass(unread.subarray(bodyStart));
    return this.#unread.length > 0;
  }
}

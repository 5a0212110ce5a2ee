/*
 * Frames of routers, version 2 of their channel protocol. All numbers are little endian:
 * mark (4 bytes), content type, sequence, length of the headers, length of the body; then the
 * headers, each as key, length and bytes; then the body.
 */

/** The header values of a frame by their keys. */
export type Headers = ReadonlyMap<number, Buffer>;

export interface Frame {
  readonly type: number;
  /** The number of the frame among those of its sender; -1 in a hello and its answer. */
  readonly sequence: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** The body of a frame to send: a large one in pieces that follow each other, and that nobody joins. */
export type Body = Buffer | readonly Buffer[];

export type SentFrame = Omit<Frame, 'body'> & { readonly body: Body };

/** Bytes that are no frame, or one beyond a limit. */
export class FrameError extends Error {}

export interface FrameLimits {
  readonly headerBytes: number;
  readonly bodyBytes: number;
}

export const HELLO_LIMITS: FrameLimits = { headerBytes: 16_384, bodyBytes: 4_192 };
/** Of other frames: together at most 64 MiB. */
export const FRAME_LIMITS: FrameLimits = { headerBytes: 1 << 20, bodyBytes: 63 << 20 };

const MARK = Buffer.from([0x03, 0x06, 0x09, 0x0c]);
const HEAD_BYTES = 20;
const HEADER_HEAD_BYTES = 8;
const MAX_HEADERS = 1_024;

/** The answer to a first frame of another protocol: a mark, and the known versions 1 and 2. */
export const UNKNOWN_VERSION = Buffer.from('0306090a020000000100000002000000', 'hex');

export const piecesOf = (body: Body): readonly Buffer[] => (Buffer.isBuffer(body) ? [body] : body);

export const bytesOf = (body: Body): number =>
  piecesOf(body).reduce((bytes, piece) => bytes + piece.length, 0);

export function encodeFrame(frame: SentFrame): Buffer {
  return Buffer.concat([encodeHead(frame), ...piecesOf(frame.body)]);
}

/** Encodes the part of a frame before its body. */
export function encodeHead({ type, sequence, headers, body }: SentFrame): Buffer {
  let headerBytes = 0;
  for (const value of headers.values()) headerBytes += HEADER_HEAD_BYTES + value.length;
  const frame = Buffer.allocUnsafe(HEAD_BYTES + headerBytes);
  MARK.copy(frame);
  frame.writeInt32LE(type, 4);
  frame.writeInt32LE(sequence, 8);
  frame.writeUInt32LE(headerBytes, 12);
  frame.writeUInt32LE(bytesOf(body), 16);
  let at = HEAD_BYTES;
  for (const [key, value] of headers) {
    frame.writeInt32LE(key, at);
    frame.writeInt32LE(value.length, at + 4);
    value.copy(frame, at + HEADER_HEAD_BYTES);
    at += HEADER_HEAD_BYTES + value.length;
  }
  return frame;
}

const MIN_CAPACITY = 16_384;

/** Reads frames from the pieces in which they arrive, however small. */
export class FrameReader {
  #buffer = Buffer.allocUnsafe(MIN_CAPACITY);
  #start = 0;
  #end = 0;

  constructor(public limits: FrameLimits) {}

  push(piece: Buffer): void {
    this.reserve(piece.length);
    this.#end += piece.copy(this.#buffer, this.#end);
  }

  /**
   * Gives the next complete frame.
   * @throws FrameError for bytes that are no frame, as soon as that is sure
   */
  next(): Frame | undefined {
    const unread = this.#buffer.subarray(this.#start, this.#end);
    const length = lengthOf(unread, this.limits);
    if (length === undefined || unread.length < length) return undefined;
    // A copy, since the buffer is used again while the frame is being worked on.
    const frame = Buffer.from(unread.subarray(0, length));
    this.release(length);
    return frameOf(frame);
  }

  /** Makes room behind the unread bytes; a growing buffer doubles. */
  private reserve(length: number): void {
    const unread = this.#end - this.#start;
    if (this.#end + length <= this.#buffer.length) return;
    const needed = unread + length;
    const target =
      needed <= this.#buffer.length / 2
        ? this.#buffer
        : Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, needed));
    this.#buffer.copy(target, 0, this.#start, this.#end);
    this.#buffer = target;
    this.#start = 0;
    this.#end = unread;
  }

  private release(length: number): void {
    this.#start += length;
    if (this.#start < this.#end) return;
    this.#start = this.#end = 0;
    // The memory of a large frame is given back.
    if (this.#buffer.length > FRAME_LIMITS.headerBytes) {
      this.#buffer = Buffer.allocUnsafe(MIN_CAPACITY);
    }
  }
}

/**
 * Reads a message that is one frame.
 * @throws FrameError for anything else
 */
export function decodeFrame(message: Buffer, limits: FrameLimits): Frame {
  if (lengthOf(message, limits) !== message.length) throw new FrameError('it is not one frame');
  return frameOf(message);
}

/** The length of the frame that begins here; undefined until its head is there. */
function lengthOf(bytes: Buffer, limits: FrameLimits): number | undefined {
  const mark = bytes.subarray(0, MARK.length);
  if (!mark.equals(MARK.subarray(0, mark.length))) throw new FrameError('no frame of routers');
  if (bytes.length < HEAD_BYTES) return undefined;
  const headerBytes = bytes.readUInt32LE(12);
  const bodyBytes = bytes.readUInt32LE(16);
  if (headerBytes > limits.headerBytes || bodyBytes > limits.bodyBytes) {
    throw new FrameError(
      `a frame of ${String(headerBytes)} and ${String(bodyBytes)} bytes is too large`,
    );
  }
  return HEAD_BYTES + headerBytes + bodyBytes;
}

/** Reads the bytes of a complete frame. */
function frameOf(bytes: Buffer): Frame {
  const bodyStart = HEAD_BYTES + bytes.readUInt32LE(12);
  return {
    type: bytes.readInt32LE(4),
    sequence: bytes.readInt32LE(8),
    headers: readHeaders(bytes.subarray(HEAD_BYTES, bodyStart)),
    body: bytes.subarray(bodyStart),
  };
}

function readHeaders(bytes: Buffer): Headers {
  const headers = new Map<number, Buffer>();
  let at = 0;
  while (at < bytes.length) {
    if (at + HEADER_HEAD_BYTES > bytes.length) throw new FrameError('a header is incomplete');
    const key = bytes.readInt32LE(at);
    const end = at + HEADER_HEAD_BYTES + bytes.readUInt32LE(at + 4);
    if (end > bytes.length) throw new FrameError('a header is longer than all headers');
    if (headers.size === MAX_HEADERS) throw new FrameError('too many headers');
    headers.set(key, bytes.subarray(at + HEADER_HEAD_BYTES, end));
    at = end;
  }
  return headers;
}

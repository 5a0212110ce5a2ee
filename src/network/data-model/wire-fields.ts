/* Parts of messages that are put together from bytes which exist already. */

const LENGTH_DELIMITED = 2;
const MORE = 0x80;

/** The bytes of a tag and a length at most: five each. */
export const MAX_HEAD_BYTES = 10;

/** Writes the tag and the length that come before the bytes of a field; gives where they end. */
export function writeFieldHead(to: Buffer, at: number, field: number, length: number): number {
  return writeVarint(to, writeVarint(to, at, (field << 3) | LENGTH_DELIMITED), length);
}

function writeVarint(to: Buffer, at: number, value: number): number {
  let [end, rest] = [at, value];
  for (; rest >= MORE; rest >>>= 7) to[end++] = (rest & (MORE - 1)) | MORE;
  to[end++] = rest;
  return end;
}

export function fieldHead(field: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(MAX_HEAD_BYTES);
  return head.subarray(0, writeFieldHead(head, 0, field, length));
}

/** Encoded messages as items of a field. */
export const inField = (field: number, items: Iterable<Buffer>): Buffer =>
  Buffer.concat([...items].flatMap((item) => [fieldHead(field, item.length), item]));

/** A piece is as large as this, or larger by one item. */
const PIECE_BYTES = 256 << 10;

/** A message of many items, written in pieces: joined, it would take its memory once more. */
export class PieceWriter {
  readonly #pieces: Buffer[] = [];
  #parts: Buffer[] = [];
  #bytes = 0;

  add(...parts: readonly Buffer[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#bytes += part.length;
    }
    if (this.#bytes >= PIECE_BYTES) this.endPiece();
  }

  end(): readonly Buffer[] {
    this.endPiece();
    return this.#pieces;
  }

  private endPiece(): void {
    this.#pieces.push(Buffer.concat(this.#parts));
    this.#parts = [];
    this.#bytes = 0;
  }
}

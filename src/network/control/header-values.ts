import { FrameError } from './frame.js';

/** The encodings of header values. */

const MAX_ITEMS = 128;
const MAX_ITEM_BYTES = 8_192;

export const textValue = (text: string): Buffer => Buffer.from(text, 'utf8');

export const boolValue = (value: boolean): Buffer => Buffer.from([value ? 1 : 0]);

export function uint32Value(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

export function uint64Value(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** Writes bytes by numbers, such as the peer data of a circuit. */
export function bytesByNumber(values: ReadonlyMap<number, Buffer>): Buffer {
  if (values.size === 0) return Buffer.alloc(0);
  const entries = [...values].flatMap(([key, value]) => [uint32Value(key), ...sized(value)]);
  return Buffer.concat([uint32Value(values.size), ...entries]);
}

/** Writes texts by texts, such as the tags of a circuit. */
export function textsByText(values: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(values);
  if (entries.length === 0) return Buffer.alloc(0);
  const parts = entries.flat().flatMap((text) => sized(textValue(text)));
  return Buffer.concat([uint32Value(entries.length), ...parts]);
}

export const readText = (value: Buffer | undefined): string => value?.toString('utf8') ?? '';

export const readBool = (value: Buffer | undefined): boolean => value?.[0] === 1;

export function readUint32(value: Buffer | undefined): number | undefined {
  return value?.length === 4 ? value.readUInt32LE() : undefined;
}

/** @throws FrameError for a value that is broken, or has too many or too long items */
export function readTexts(value: Buffer | undefined): string[] {
  const items = new ItemReader(value);
  return Array.from({ length: items.count }, () => readText(items.bytes()));
}

/** @throws FrameError for a value that is broken, or has too many or too long items */
export function readBytesByNumber(value: Buffer | undefined): Map<number, Buffer> {
  const items = new ItemReader(value);
  return new Map(Array.from({ length: items.count }, () => [items.number(), items.bytes()]));
}

const sized = (value: Buffer): [Buffer, Buffer] => [uint32Value(value.length), value];

/** Reads a value of many items, which begins with their number. */
class ItemReader {
  readonly count: number;
  readonly #value: Buffer;
  #at = 0;

  constructor(value: Buffer = Buffer.alloc(0)) {
    this.#value = value;
    this.count = value.length === 0 ? 0 : this.number();
    if (this.count > MAX_ITEMS) throw new FrameError('a header has too many items');
  }

  number(): number {
    return this.read(4).readUInt32LE();
  }

  bytes(): Buffer {
    const length = this.number();
    if (length > MAX_ITEM_BYTES) throw new FrameError('an item of a header is too long');
    return this.read(length);
  }

  private read(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#value.length) throw new FrameError('a header ends within an item');
    const bytes = this.#value.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}

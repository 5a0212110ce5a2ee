const RECORD_HEAD_BYTES = 5;
const MESSAGE_HEAD_BYTES = 4;
const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const RANDOM_BYTES = 32;
const ALPN_EXTENSION = 16;
const MAX_MESSAGE_BYTES = 16_384;
const MAX_RECORDS = 8;

/**
 * Reads the protocols that a client offers at the start of its TLS connection (RFC 7301 3.1): the
 * only place that tells them before the handshake. Gives undefined while the bytes are incomplete;
 * for bytes that are no such start it gives none.
 */
export function offeredProtocols(start: Buffer): readonly string[] | undefined {
  const message = clientHello(start);
  if (message === undefined || message === 'none') return message && [];
  try {
    return protocolsIn(new FieldReader(message));
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** Joins the message from the records that it is in. */
function clientHello(start: Buffer): Buffer | 'none' | undefined {
  const parts: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < start.length;) {
    if (start[at] !== HANDSHAKE_RECORD || parts.length === MAX_RECORDS) return 'none';
    if (start.length < at + RECORD_HEAD_BYTES) return undefined;
    const end = at + RECORD_HEAD_BYTES + start.readUInt16BE(at + 3);
    const part = start.subarray(at + RECORD_HEAD_BYTES, end);
    if (parts.length === 0 && part.length > 0 && part[0] !== CLIENT_HELLO) return 'none';
    parts.push(part);
    length += part.length;
    const message = messageIn(Buffer.concat(parts, length));
    if (message !== undefined) return message;
    at = end;
  }
  return undefined;
}

function messageIn(bytes: Buffer): Buffer | 'none' | undefined {
  if (bytes.length < MESSAGE_HEAD_BYTES) return undefined;
  const length = bytes.readUIntBE(1, 3);
  if (length > MAX_MESSAGE_BYTES) return 'none';
  const end = MESSAGE_HEAD_BYTES + length;
  return bytes.length < end ? undefined : bytes.subarray(MESSAGE_HEAD_BYTES, end);
}

function protocolsIn(fields: FieldReader): string[] {
  const versionBytes = 2;
  fields.bytes(versionBytes + RANDOM_BYTES);
  // The session, the cipher suites and the compression methods.
  for (const lengthBytes of [1, 2, 1]) fields.sized(lengthBytes);
  if (fields.isAtEnd) return [];
  const extensions = new FieldReader(fields.sized(2));
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const value = extensions.sized(2);
    if (type === ALPN_EXTENSION) return namesIn(new FieldReader(new FieldReader(value).sized(2)));
  }
  return [];
}

function namesIn(list: FieldReader): string[] {
  const names: string[] = [];
  while (!list.isAtEnd) names.push(list.sized(1).toString('latin1'));
  return names;
}

/** Reads fields in their order; throws a RangeError beyond the end. */
class FieldReader {
  #at = 0;

  constructor(private readonly source: Buffer) {}

  get isAtEnd(): boolean {
    return this.#at >= this.source.length;
  }

  number(length: number): number {
    return this.bytes(length).readUIntBE(0, length);
  }

  sized(lengthBytes: number): Buffer {
    return this.bytes(this.number(lengthBytes));
  }

  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.source.length) throw new RangeError('a field ends beyond its message');
    const bytes = this.source.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}

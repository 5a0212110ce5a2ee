/*
 * Own code reads the input of strangers: signatures cover the original bytes, so they must be kept;
 * only the distinguished encoding is accepted; and nothing recurses. node-forge accepts BER, keeps no
 * bytes and can not read certificates or requests with EC keys; @peculiar/x509 keeps only the bytes of
 * whole certificates.
 */

/** One value of distinguished encoding (X.690): identifier octet, contents, and all of its bytes. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  readonly raw: Buffer;
}

export const Tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The reason why bytes are not the expected encoding. */
export class DerError extends Error {}

/** Gives the values that fill `bytes` exactly. */
export function derValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let offset = 0; offset < bytes.length;) {
    const value = valueAt(bytes.subarray(offset));
    values.push(value);
    offset += value.raw.length;
  }
  return values;
}

/** Gives the only value in `bytes`, of type `tag`. */
export function derValue(bytes: Buffer, tag: number): DerValue {
  const value = valueAt(bytes);
  if (value.raw.length !== bytes.length) throw new DerError('bytes after the end');
  return expectTag(value, tag);
}

/** Gives the members of a constructed value of type `tag`. */
export const derMembers = (value: DerValue | undefined, tag: number): DerValue[] =>
  derValues(expectTag(value, tag).content);

export function expectTag(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag !== tag) throw new DerError(`expected a value of type ${tag.toString(16)}`);
  return value;
}

/** Gives the result of `read`, or undefined when the bytes are no such encoding. */
export function ifDer<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

function valueAt(bytes: Buffer): DerValue {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError('cut short');
  if ((tag & 0x1f) === 0x1f) throw new DerError('a tag of several bytes');
  const { length, start } = first < 0x80 ? { length: first, start: 2 } : longLength(bytes, first);
  if (bytes.length < start + length) throw new DerError('cut short');
  const raw = bytes.subarray(0, start + length);
  return { tag, content: raw.subarray(start), raw };
}

/** X.690 10.1: lengths are definite and use the fewest bytes. */
function longLength(bytes: Buffer, first: number): { length: number; start: number } {
  const count = first & 0x7f;
  if (count === 0 || count > 4 || bytes.length < 2 + count) throw new DerError('bad length');
  const length = bytes.readUIntBE(2, count);
  if (length < 0x80 || bytes[2] === 0) throw new DerError('length is not minimal');
  return { length, start: 2 + count };
}

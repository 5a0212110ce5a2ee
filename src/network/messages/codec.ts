import protobuf from 'protobufjs/light.js';

/** The parts of a message that an encoder needs: members without a value keep their default. */
export type Encodable<T> = T extends Uint8Array | string | number | boolean
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Encodable<Item>[]
    : { readonly [Name in keyof T]?: Encodable<T[Name]> | undefined };

/** Reads and writes the bodies of one type of message. */
export interface Codec<T> {
  readonly name: string;
  encode(message: Encodable<T>): Buffer;
  /** @throws Error for bytes that are no such message, an unknown value of an enumeration, or a text with NUL */
  decode(body: Buffer): T;
}

/** Makes the codecs of a description of messages, as protobufjs writes it. */
export function codecs(description: object): <T>(name: string) => Codec<T> {
  const root = protobuf.Root.fromJSON(description);
  return (name) => codec(root.lookupType(name));
}

/** Times and counters stay below 2^53, also in nanoseconds: 104 days. */
const READ: protobuf.IConversionOptions = { defaults: true, enums: String, longs: Number };

function codec<T>(type: protobuf.Type): Codec<T> {
  return {
    name: type.name,
    encode: (message) =>
      Buffer.from(type.encode(type.fromObject(message as Record<string, unknown>)).finish()),
    decode(body) {
      const message = type.toObject(type.decode(readerOf(body)), READ) as T;
      refuseUnknownValues(type, message as Record<string, unknown>);
      return message;
    },
  };
}

/** Refuses texts with NUL, which the database can not hold. */
function readerOf(body: Buffer): protobuf.Reader {
  const reader = protobuf.Reader.create(body);
  const read = reader.stringVerify.bind(reader);
  reader.stringVerify = () => {
    const text = read();
    if (text.includes('\0')) throw new Error('a text holds NUL');
    return text;
  };
  return reader;
}

/** An enumeration is read as its name; a number is a value that this version does not know. */
function refuseUnknownValues(type: protobuf.Type, message: Record<string, unknown>): void {
  for (const field of type.fieldsArray) {
    const { resolvedType } = field.resolve();
    if (!resolvedType || field instanceof protobuf.MapField) continue;
    const values = field.repeated ? (message[field.name] as unknown[]) : [message[field.name]];
    for (const value of values) {
      if (resolvedType instanceof protobuf.Type) {
        if (value) refuseUnknownValues(resolvedType, value as Record<string, unknown>);
      } else if (typeof value === 'number') {
        throw new Error(`${type.name}.${field.name}: ${String(value)} is unknown`);
      }
    }
  }
}

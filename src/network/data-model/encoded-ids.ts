import type { Bitset, EntityKind, PolicyIndex } from '../../kernel/policy/index.js';
import { MAX_HEAD_BYTES, writeFieldHead } from './wire-fields.js';

/** The number of the field of a service policy change that holds the ids of members. */
const RELATED_ENTITY_IDS = 2;
/** One event holds at most so many ids. */
const MAX_IDS = 10_000;

/** The bytes of a character of a text at most. */
const MAX_CHARACTER_BYTES = 3;

/** The ids of members as the field of an event, in parts that are small enough for one event. */
export function* encodedIds(ids: readonly string[]): Generator<Buffer> {
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    yield encoded(ids.slice(from, from + MAX_IDS));
  }
}

function encoded(ids: readonly string[]): Buffer {
  let most = 0;
  for (const { length } of ids) most += MAX_HEAD_BYTES + length * MAX_CHARACTER_BYTES;
  const bytes = Buffer.allocUnsafe(most);
  let end = 0;
  for (const id of ids) {
    end = writeFieldHead(bytes, end, RELATED_ENTITY_IDS, Buffer.byteLength(id));
    end += bytes.write(id, end);
  }
  return Buffer.from(bytes.subarray(0, end));
}

/**
 * The same for all entities of a kind, each encoded once: the whole model of a large network names each of them in
 * hundreds of policies. It counts until an entity of the kind comes or goes.
 */
export class EncodedIds {
  readonly #bytes: Buffer;
  /** Where the bytes of each ordinal begin, and behind the last one, where they end. */
  readonly #starts: Int32Array;

  constructor(index: PolicyIndex, kind: EntityKind) {
    const parts: Buffer[] = Array.from({ length: index.ordinalBound(kind) }, () => NOTHING);
    for (const id of index.ids(kind)) {
      const ordinal = index.ordinalOf(kind, id);
      if (ordinal !== undefined) parts[ordinal] = encoded([id]);
    }
    this.#bytes = Buffer.concat(parts);
    this.#starts = new Int32Array(parts.length + 1);
    for (const [ordinal, { length }] of parts.entries()) {
      this.#starts[ordinal + 1] = (this.#starts[ordinal] ?? 0) + length;
    }
  }

  *of(members: Bitset): Generator<Buffer> {
    const ordinals = members.ordinals();
    for (let from = 0; from < ordinals.length; from += MAX_IDS) {
      yield this.copy(ordinals.subarray(from, from + MAX_IDS));
    }
  }

  private copy(ordinals: Int32Array): Buffer {
    const [bytes, starts] = [this.#bytes, this.#starts];
    let length = 0;
    for (const ordinal of ordinals) length += (starts[ordinal + 1] ?? 0) - (starts[ordinal] ?? 0);
    const copy = Buffer.allocUnsafe(length);
    let to = 0;
    for (const ordinal of ordinals) {
      const end = starts[ordinal + 1] ?? 0;
      // Byte by byte: a call for each few bytes would take longer.
      for (let from = starts[ordinal] ?? 0; from < end; from += 1) copy[to++] = bytes[from] ?? 0;
    }
    return copy;
  }
}

const NOTHING = Buffer.alloc(0);

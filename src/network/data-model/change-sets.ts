import { countBefore } from '../../base/sorted.js';
import type { Sliced } from '../../base/slices.js';
import { messages } from '../messages/index.js';
import { fieldHead, inField, PieceWriter } from './wire-fields.js';

/**
 * A set of events with its index. Indexes follow the order of the change log, whichever controller counts: the
 * last set of a commit with the transaction number n has the last of the PARTS indexes from n * PARTS on, and
 * the sets before it have those before.
 */
export interface ChangeSet {
  readonly index: number;
  /** The index of the set before. */
  readonly previousIndex: number;
  /** The events as the field of the message. */
  readonly changes: Buffer;
}

const PARTS = 1_024;
/** A set is about as large as this at most; a commit with more is split. */
const MAX_BYTES = 1 << 20;

/** The last index of a commit. */
export const lastIndexOf = (transaction: number): number => transaction * PARTS + PARTS - 1;

/** The commit whose last index this is; undefined for an index within a commit, or between two. */
export const commitEndingAt = (index: number): number | undefined =>
  (index + 1) % PARTS === 0 ? (index + 1) / PARTS - 1 : undefined;

/** Splits the events of a commit into sets that are small enough, at most as many as there are indexes. */
export function split(events: readonly Buffer[]): Buffer[][] {
  const parts: Buffer[][] = [];
  let bytes = Infinity;
  for (const event of events) {
    bytes += event.length;
    const isFull = bytes > MAX_BYTES && parts.length < PARTS - 1;
    if (isFull || parts.length === 0) {
      parts.push([]);
      bytes = event.length;
    }
    parts.at(-1)?.push(event);
  }
  return parts;
}

/** The body of the message about a set; 0 as the index before lets a router take it without a comparison. */
export const encodedChangeSet = (
  { index, changes }: ChangeSet,
  previousIndex: number,
): readonly Buffer[] => [messages.DataStateChangeSet.encode({ index, previousIndex }), changes];

/** The body of the message about events that have no index. */
export const encodedSyntheticSet = (events: readonly Buffer[]): Buffer =>
  Buffer.concat([
    messages.DataStateChangeSet.encode({ isSynthetic: true }),
    inField(CHANGES, events),
  ]);

/** The body of the message about the whole model. */
export function* encodedFullState(
  events: Iterable<Buffer>,
  state: { readonly endIndex: number; readonly timelineId: string },
): Sliced<readonly Buffer[]> {
  const body = new PieceWriter();
  body.add(messages.DataState.encode(state));
  for (const event of events) {
    body.add(fieldHead(EVENTS, event.length), event);
    yield;
  }
  return body.end();
}

/** The body of the message that has a router compare its model with a whole one. */
export function encodedValidation(state: readonly Buffer[], fix: boolean): readonly Buffer[] {
  const bytes = state.reduce((sum, piece) => sum + piece.length, 0);
  const rest = messages.RouterDataModelValidateRequest.encode({ fix });
  return [fieldHead(STATE, bytes), ...state, rest];
}

/** The numbers of the fields that hold the events in a set and in a state, and the state in a validation. */
const CHANGES = 3;
const EVENTS = 1;
const STATE = 1;

const MAX_SETS = 10_000;
const MAX_LOG_BYTES = 64 << 20;

/** The latest sets without a gap, within a memory limit. */
export class RecentSets {
  readonly #sets: ChangeSet[] = [];
  #bytes = 0;
  #floor: number;

  constructor(floor: number) {
    this.#floor = floor;
  }

  /** The index of the latest set, or where the log begins. */
  get newest(): number {
    return this.#sets.at(-1)?.index ?? this.#floor;
  }

  /** Adds a set behind the others. */
  add(index: number, events: readonly Buffer[]): void {
    const changes = inField(CHANGES, events);
    this.#sets.push({ index, previousIndex: this.newest, changes });
    this.#bytes += changes.length;
    while (this.#sets.length > MAX_SETS || (this.#bytes > MAX_LOG_BYTES && this.#sets.length > 1)) {
      const oldest = this.#sets.shift();
      this.#bytes -= oldest?.changes.length ?? 0;
      this.#floor = oldest?.index ?? this.#floor;
    }
  }

  /** The first set behind an index. */
  after(index: number): ChangeSet | undefined {
    return this.#sets[countBefore(this.#sets, (set) => set.index <= index)];
  }

  /** The number of sets behind an index; infinite when some are forgotten. */
  countAfter(index: number): number {
    if (!this.has(index)) return Infinity;
    return this.#sets.length - countBefore(this.#sets, (set) => set.index <= index);
  }

  /** Whether the index is that of a set, or where the log begins. */
  has(index: number): boolean {
    return this.latestUpTo(index) === index;
  }

  /** The index of the latest set up to an index, or where the log begins; undefined when that is later. */
  latestUpTo(index: number): number | undefined {
    if (index < this.#floor) return undefined;
    const set = this.#sets[countBefore(this.#sets, (each) => each.index <= index) - 1];
    return set?.index ?? this.#floor;
  }
}

import { useSyncExternalStore } from 'react';
import { description } from '../description/description.js';

/*
 * The draft of this tab: changes that nobody has applied yet. It stays over reloads, and can be sent
 * as a link, whose part after `#` no browser sends to a server.
 */

export type DraftOperation = 'create' | 'replace' | 'update' | 'delete';

export interface DraftChange {
  readonly operation: DraftOperation;
  /** The name of the type in the graph. */
  readonly type: string;
  /** Of a new entity undefined. */
  readonly id: string | undefined;
  /** For people. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>> | undefined;
  /** The revision that the change begins from. */
  readonly revision: number | undefined;
}

const KEY = 'overgraph.draft';
const AUTHOR_KEY = 'overgraph.draft.author';
const OPERATIONS: readonly unknown[] = ['create', 'replace', 'update', 'delete'];

let author = stored(AUTHOR_KEY);
let draft = readDraft();
const listeners = new Set<() => void>();

function stored(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    // A browser may forbid the storage; the draft is then in memory alone.
    return undefined;
  }
}

function store(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // As above.
  }
}

function readDraft(): readonly DraftChange[] {
  try {
    return entriesOf(stored(KEY) ?? '[]').filter(isChange);
  } catch {
    // It is no JSON.
    return [];
  }
}

/** Reads a list from text; gives an empty one when it is something else. */
function entriesOf(text: string): readonly unknown[] {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value : [];
}

/** A link may come from anybody. */
function isChange(value: unknown): value is DraftChange {
  const { operation, type, name, id, input, revision } = (value ?? {}) as Partial<DraftChange>;
  const isAbsentOr = (kind: string, member: unknown): boolean =>
    member === undefined || (typeof member === kind && member !== null);
  return (
    OPERATIONS.includes(operation) &&
    isDraftedType(type) &&
    typeof name === 'string' &&
    isAbsentOr('string', id) &&
    isAbsentOr('object', input) &&
    isAbsentOr('number', revision)
  );
}

function isDraftedType(type: unknown): boolean {
  if (typeof type !== 'string' || !Object.hasOwn(description.kinds, type)) return false;
  return description.kinds[type]?.isDrafted === true;
}

function replaceDraft(changes: readonly DraftChange[]): void {
  draft = changes;
  store(KEY, JSON.stringify(changes));
  for (const listener of listeners) listener();
}

/** Adds a change; a later change of the same entity joins the earlier one. */
export function addToDraft(change: DraftChange): void {
  addAllToDraft([change]);
}

/** Adds many changes, and stores the draft once. */
export function addAllToDraft(changes: readonly DraftChange[]): void {
  replaceDraft(changes.reduce(withChange, draft));
}

function withChange(changes: readonly DraftChange[], change: DraftChange): readonly DraftChange[] {
  const at = changes.findIndex(
    ({ type, id }) => id !== undefined && type === change.type && id === change.id,
  );
  const before = changes[at];
  return before ? changes.with(at, joinedChange(before, change)) : [...changes, change];
}

function joinedChange(before: DraftChange, change: DraftChange): DraftChange {
  if (change.operation === 'delete') return change;
  const isUpdated = change.operation === 'update' && before.operation !== 'delete';
  return {
    ...before,
    // An update of what the draft makes is part of making it.
    operation: isUpdated ? before.operation : change.operation,
    input: { ...before.input, ...change.input },
  };
}

export function removeFromDraft(changes: readonly DraftChange[]): void {
  replaceDraft(draft.filter((change) => !changes.includes(change)));
}

/** Lets a change begin from another revision of its entity; it keeps the members that it sets. */
export function rebaseChange(change: DraftChange, revision: number): void {
  replaceDraft(draft.map((each) => (each === change ? { ...each, revision } : each)));
}

export function clearDraft(): void {
  replaceDraft([]);
}

/** A draft may show what only its author may read. Somebody else in this tab begins an empty one. */
export function keepDraftOf(callerId: string): void {
  if (author !== undefined && author !== callerId) clearDraft();
  author = callerId;
  store(AUTHOR_KEY, callerId);
}

export const currentDraft = (): readonly DraftChange[] => draft;

export function useDraft(): readonly DraftChange[] {
  return useSyncExternalStore(subscribe, currentDraft);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** The part of an address that holds the draft. */
export function linkOf(changes: readonly DraftChange[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(changes));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** The number of entries of a link, and of those among them that are no changes. */
export interface OpenedLink {
  readonly total: number;
  readonly unreadable: number;
}

/** Adds the changes of a link to the draft. */
export function openLink(link: string): OpenedLink {
  const entries = entriesOfLink(link);
  const changes = entries.filter(isChange);
  if (changes.length > 0) addAllToDraft(changes);
  return { total: entries.length, unreadable: entries.length - changes.length };
}

function entriesOfLink(link: string): readonly unknown[] {
  try {
    const bytes = Uint8Array.from(atob(link), (each) => each.charCodeAt(0));
    return entriesOf(new TextDecoder().decode(bytes));
  } catch {
    // It is no link to a draft.
    return [];
  }
}

/** What was written, kept outside of what is killed. */

export type Operation = 'create' | 'update' | 'delete';

/** A service, as the answers to its writer say that it is. */
export interface Entry {
  readonly name: string;
  /** Known with the answer to its creation. */
  id: string | undefined;
  /** In three of its columns at once. */
  mark: number;
  /** Acknowledged, the creation among them. */
  changes: number;
  isDeleted: boolean;
  /** A write without an answer: all of it is there, or nothing. */
  unanswered: { readonly operation: Operation; readonly mark: number } | undefined;
}

export class Ledger {
  readonly #entries = new Set<Entry>();
  /** Written since the last look. */
  readonly #touched = new Set<Entry>();
  acknowledged = 0;
  unanswered = 0;
  carriedOut = 0;

  add(name: string): Entry {
    const entry: Entry = {
      name,
      id: undefined,
      mark: 0,
      changes: 0,
      isDeleted: false,
      unanswered: undefined,
    };
    this.#entries.add(entry);
    return entry;
  }

  touch(entry: Entry): void {
    this.#touched.add(entry);
  }

  acknowledge(entry: Entry, operation: Operation, mark: number): void {
    this.acknowledged += 1;
    this.#apply(entry, operation, mark);
  }

  leaveOpen(entry: Entry, operation: Operation, mark: number): void {
    this.unanswered += 1;
    entry.unanswered = { operation, mark };
  }

  /** Takes over what became of a write without an answer. */
  settle(entry: Entry, isCarriedOut: boolean): void {
    const { unanswered } = entry;
    entry.unanswered = undefined;
    if (!unanswered || !isCarriedOut) return;
    this.carriedOut += 1;
    this.#apply(entry, unanswered.operation, unanswered.mark);
  }

  /** Its creation was never sent. */
  forget(entry: Entry): void {
    this.#touched.delete(entry);
    this.#entries.delete(entry);
  }

  takeTouched(): Entry[] {
    const entries = [...this.#touched];
    this.#touched.clear();
    return entries;
  }

  get all(): readonly Entry[] {
    return [...this.#entries];
  }

  #apply(entry: Entry, operation: Operation, mark: number): void {
    entry.changes += 1;
    if (operation === 'delete') entry.isDeleted = true;
    else entry.mark = mark;
  }
}

/** Whether it exists: no write to it is open. */
export const isThere = ({ id, isDeleted }: Entry): boolean => id !== undefined && !isDeleted;

import type { Resource } from '../../kernel/declare/resource.js';
import type { StoredEntity } from '../../kernel/declare/rows.js';

/** The state of a locked row, as the resource declares it that the transaction read it for. */
interface KnownRow {
  readonly resource: Resource;
  readonly row: StoredEntity;
}

/**
 * The rows that a transaction of the database has locked for writing. Nobody else changes them until
 * the commit, so their state is known while all writes of the transaction are.
 *
 * Speed needs it (docs/benchmark.md, "edit a policy (patch name)"): edits that share a transaction read
 * their row once.
 */
export class LockedRows {
  /** Undefined for a row that a statement may have changed since it was read. */
  readonly #rows = new Map<string, KnownRow | undefined>();

  has(resource: Resource, id: string): boolean {
    return this.#rows.has(rowKey(resource, id));
  }

  add(resource: Resource, row: StoredEntity): void {
    this.#rows.set(rowKey(resource, row.id), { resource, row: { ...row } });
  }

  /** The row with the writes of the transaction; undefined if it has to be read. */
  find(resource: Resource, id: string): StoredEntity | undefined {
    const knownRow = this.#rows.get(rowKey(resource, id));
    return knownRow?.resource === resource ? { ...knownRow.row } : undefined;
  }

  /** Applies an update with the values as the database gives them back. */
  update(resource: Resource, id: string, values: object): void {
    const key = rowKey(resource, id);
    const knownRow = this.#rows.get(key);
    if (!knownRow) return;
    const isOfResource = knownRow.resource === resource;
    this.#rows.set(
      key,
      isOfResource ? { resource, row: { ...knownRow.row, ...values } } : undefined,
    );
  }

  /** They are deleted, and perhaps rows that refer to them. */
  remove(resource: Resource, ids: readonly string[]): void {
    for (const id of ids) this.#rows.delete(rowKey(resource, id));
    this.forgetStates();
  }

  /** After a statement of which only the database knows what it changed. */
  forgetStates(): void {
    for (const key of this.#rows.keys()) this.#rows.set(key, undefined);
  }
}

/** Names a row; resources may share a table. */
export const rowKey = ({ table }: Resource, id: string): string => `${table} ${id}`;

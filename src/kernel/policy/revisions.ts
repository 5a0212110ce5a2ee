/**
 * The latest revision of each id, so that changes may arrive twice and out of order. Deletions stay
 * for at least one call of `prune`.
 */
export class Revisions {
  private readonly live = new Map<string, number>();
  private deleted = new Map<string, number>();
  private deletedEarlier = new Map<string, number>();

  /** Whether a change is newer than the latest; if so, it becomes the latest. */
  admit(id: string, revision: number, isDeletion: boolean): boolean {
    const deleted = this.deleted.get(id) ?? this.deletedEarlier.get(id) ?? -Infinity;
    // A deletion may have the last revision of its row, so it wins if both are equal.
    if (revision < (this.live.get(id) ?? -Infinity)) return false;
    if (isDeletion ? revision < deleted : revision <= deleted) return false;
    this.forget(id);
    (isDeletion ? this.deleted : this.live).set(id, revision);
    return true;
  }

  /** The latest revision of an existing row. */
  of(id: string): number | undefined {
    return this.live.get(id);
  }

  private forget(id: string): void {
    this.live.delete(id);
    this.deleted.delete(id);
    this.deletedEarlier.delete(id);
  }

  /** Forgets the deletions from before the previous call. */
  prune(): void {
    this.deletedEarlier = this.deleted;
    this.deleted = new Map();
  }
}

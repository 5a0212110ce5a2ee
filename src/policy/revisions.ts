/**
 * Which change of an id was the latest, so that the same changes may arrive twice and out of order.
 * Deletions are remembered for at least one call of `prune`.
 */
export class Revisions {
  private readonly live = new Map<string, number>();
  private deleted = new Map<string, number>();
  private deletedEarlier = new Map<string, number>();

  /** Whether a change is news; if so, it is the latest from now on. */
  admit(id: string, revision: number, isDeletion: boolean): boolean {
    const deleted = this.deleted.get(id) ?? this.deletedEarlier.get(id) ?? -Infinity;
    // A deletion may carry the last revision of what it deletes, so it wins a tie.
    if (revision < (this.live.get(id) ?? -Infinity)) return false;
    if (isDeletion ? revision < deleted : revision <= deleted) return false;
    this.forget(id);
    (isDeletion ? this.deleted : this.live).set(id, revision);
    return true;
  }

  /** That of the latest change of something that is there. */
  of(id: string): number | undefined {
    return this.live.get(id);
  }

  private forget(id: string): void {
    this.live.delete(id);
    this.deleted.delete(id);
    this.deletedEarlier.delete(id);
  }

  /** Forgets the deletions that were known at the call before this one. */
  prune(): void {
    this.deletedEarlier = this.deleted;
    this.deleted = new Map();
  }
}

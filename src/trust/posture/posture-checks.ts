import type { Change, Store } from '../../kernel/request/store-port.js';
import type { Bitset, IndexedPolicy, PolicyIndex } from '../../kernel/policy/index.js';
import type { LinkingPolicy, PostureCheckRecord } from './evaluate-policies.js';
import { merged } from '../../base/merged.js';
import { postureChecks } from '../../data/rows/posture/index.js';

type HeldCheck = PostureCheckRecord & { readonly revision: number };

/** Rows of the log have times as texts. */
type CheckRow = Omit<HeldCheck, 'createdAt' | 'updatedAt'> & {
  readonly createdAt: Date | string;
  readonly updatedAt: Date | string;
};

/** The part of the policy index that tells which checks a policy has. */
export type CheckedModel = Pick<PolicyIndex, 'idsOf'> & {
  members(kind: 'servicePolicy', id: string, side: 'postureChecks'): Bitset;
};

/** The posture checks of the network, held in memory; there are few, and every list needs them. */
export class PostureChecks {
  readonly #byId = new Map<string, HeldCheck>();

  constructor(private readonly index: CheckedModel) {}

  async load(store: Store): Promise<void> {
    for (const row of await postureChecks.all(store)) this.#put(row as CheckRow);
  }

  applyChange({ resource, id, after }: Pick<Change, 'resource' | 'id' | 'after'>): void {
    if (resource !== 'PostureCheck') return;
    // The log holds the attributes of the row.
    if (after) this.#put(after as CheckRow);
    else this.#byId.delete(id);
  }

  /** As they would be after changes, in a model that has them. */
  after(
    changes: readonly Pick<Change, 'resource' | 'id' | 'after'>[],
    model: CheckedModel,
  ): PostureChecks {
    const changed = new PostureChecks(model);
    for (const [id, check] of this.#byId) changed.#byId.set(id, check);
    for (const change of changes) changed.applyChange(change);
    return changed;
  }

  /** By their ids, as they would be after changes. */
  byId(
    changes: readonly Pick<Change, 'resource' | 'id' | 'after'>[] = [],
  ): ReadonlyMap<string, PostureCheckRecord> {
    return changes.length === 0 ? this.#byId : this.after(changes, this.index).#byId;
  }

  /** Without any check in the network no client has to answer. */
  get isEmpty(): boolean {
    return this.#byId.size === 0;
  }

  all(): IterableIterator<PostureCheckRecord> {
    return this.#byId.values();
  }

  /** The policies with their checks, as posture is judged by; equal policies are looked up once. */
  guards(): (policy: IndexedPolicy) => LinkingPolicy {
    const guardedPolicies = new Map<string, LinkingPolicy>();
    return (policy) => {
      const guarded = guardedPolicies.get(policy.id) ?? this.#guard(policy);
      guardedPolicies.set(policy.id, guarded);
      return guarded;
    };
  }

  #guard({ id, type }: IndexedPolicy): LinkingPolicy {
    const members = this.index.members('servicePolicy', id, 'postureChecks');
    const ids = this.index.idsOf('postureCheck', members).sort();
    const checks = ids.flatMap((check) => this.#byId.get(check) ?? []);
    return { id, name: '', type: type ?? 'Dial', checks };
  }

  #put(row: CheckRow): void {
    if ((this.#byId.get(row.id)?.revision ?? 0) > row.revision) return;
    const times = { createdAt: new Date(row.createdAt), updatedAt: new Date(row.updatedAt) };
    this.#byId.set(row.id, merged(row, times));
  }
}

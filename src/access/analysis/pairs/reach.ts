import { Bitset, isPending, PENDING_IDENTITIES } from '../../../kernel/policy/index.js';
import type { EntityValue, IndexedPolicy } from '../../../kernel/policy/index.js';
import { rolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import type { Relation } from './relation.js';
import type { TargetSpace } from './target-space.js';

/** A reason for membership in policies: an attribute, a list of attributes, or an id. */
export interface Term {
  readonly number: number;
  readonly policies: IndexedPolicy[];
  /** The targets beyond the common ones; computed on first use, null when there are none. */
  row: Bitset | null | undefined;
}

interface ListTerm {
  readonly attributes: readonly string[];
  readonly term: Term;
}

/**
 * A relation of a model, indexed by the roles of its policies. The row of an entity is the union of
 * few sets, because many entities share few terms. Entities with the same terms have the same row.
 */
export class Reach {
  /** The targets that every entity reaches. */
  readonly common: Bitset;
  /** The policies of all entities but those that are pending; absent if none is, and these policies are common. */
  private readonly everybody: Term | undefined;
  private readonly byId = new Map<string, Term>();
  private readonly byAttribute = new Map<string, Term>();
  /** By the first attribute of the list. */
  private readonly byList = new Map<string, ListTerm[]>();
  private readonly targets: (policies: readonly IndexedPolicy[]) => Bitset;
  private commonCount: number | undefined;
  private terms = 0;

  /** `isPart` selects the policies that count. */
  constructor(
    model: AccessModel,
    private readonly relation: Relation,
    readonly space: TargetSpace,
    isPart: (policy: IndexedPolicy) => boolean = () => true,
  ) {
    this.targets = relation.targets(model);
    const commonPolicies: IndexedPolicy[] = [];
    for (const policy of model.policies(relation.kind)) {
      if (relation.layerOf(policy) === undefined || !isPart(policy)) continue;
      if (rolesOn(policy, relation.from).all) commonPolicies.push(policy);
      else this.add(policy);
    }
    const hasPending = !model.union('identity', [PENDING_IDENTITIES]).isEmpty();
    if (hasPending && relation.from === 'identities') {
      this.everybody = this.term();
      this.everybody.policies.push(...commonPolicies.splice(0));
    }
    this.common = this.rowOf(commonPolicies) ?? space.row();
  }

  /** An absent entity has an empty row. */
  row(entity: EntityValue | undefined): Bitset {
    return this.union(this.termsOf(entity));
  }

  /** Gives the row for the terms; the caller may change it. */
  union(terms: readonly Term[] | undefined): Bitset {
    if (!terms) return this.space.row();
    const row = this.common.clone();
    for (const term of terms) if (term.row) row.or(term.row);
    return row;
  }

  /** Counts the targets in the row. */
  count(terms: readonly Term[]): number {
    this.commonCount ??= this.common.popcount();
    return this.commonCount + countBesides(terms);
  }

  /** Gives the terms of the entity that lead to targets; undefined without an entity. */
  termsOf(entity: EntityValue): Term[];
  termsOf(entity: EntityValue | undefined): Term[] | undefined;
  termsOf(entity: EntityValue | undefined): Term[] | undefined {
    if (!entity) return undefined;
    const direct = isPending(entity) ? [] : [this.everybody, this.byId.get(entity.id)];
    const terms = direct.filter((term) => term !== undefined && this.hasTargets(term)) as Term[];
    for (const name of entity.attributes) this.addTermsOf(name, entity.attributes, terms);
    return terms;
  }

  private addTermsOf(name: string, heldNames: readonly string[], terms: Term[]): void {
    const term = this.byAttribute.get(name);
    if (term && this.hasTargets(term)) terms.push(term);
    const lists = this.byList.get(name);
    if (!lists) return;
    for (const list of lists) {
      if (
        list.attributes.every((other) => heldNames.includes(other)) &&
        this.hasTargets(list.term)
      ) {
        terms.push(list.term);
      }
    }
  }

  private add(policy: IndexedPolicy): void {
    const { ids, attributes } = rolesOn(policy, this.relation.from);
    for (const id of ids) this.termOf(this.byId, id).policies.push(policy);
    if (policy.semantic === 'AllOf' && attributes.length > 1) this.addList(attributes, policy);
    else for (const name of attributes) this.termOf(this.byAttribute, name).policies.push(policy);
  }

  private addList(attributes: readonly string[], policy: IndexedPolicy): void {
    const first = attributes[0] ?? '';
    const term = this.term();
    term.policies.push(policy);
    const lists = this.byList.get(first);
    if (lists) lists.push({ attributes, term });
    else this.byList.set(first, [{ attributes, term }]);
  }

  private termOf(terms: Map<string, Term>, name: string): Term {
    const existing = terms.get(name);
    if (existing) return existing;
    const term = this.term();
    terms.set(name, term);
    return term;
  }

  private term(): Term {
    this.terms += 1;
    return { number: this.terms, policies: [], row: undefined };
  }

  private hasTargets(term: Term): boolean {
    if (term.row === undefined) {
      const row = this.rowOf(term.policies)?.andNot(this.common);
      term.row = row?.intersects(row) ? row : null;
    }
    return term.row !== null;
  }

  private rowOf(policies: readonly IndexedPolicy[]): Bitset | null {
    const row = this.space.row();
    let any = false;
    for (let layer = 0; layer < this.relation.layers; layer += 1) {
      const layerPolicies = policies.filter((policy) => this.relation.layerOf(policy) === layer);
      if (layerPolicies.length === 0) continue;
      any = this.space.add(row, this.targets(layerPolicies), layer) || any;
    }
    return any ? row : null;
  }
}

/** Counts the targets of the terms. */
export function countBesides(terms: readonly Term[]): number {
  const rows: Bitset[] = [];
  for (const { row } of terms) if (row) rows.push(row);
  return Bitset.unionCount(rows);
}

/** Gives a text that identifies a row. No signature is the beginning of another one. */
export function signatureOf(terms: readonly Term[] | undefined): string {
  if (!terms) return '-';
  let signature = `${terms.length} `;
  for (const { number } of terms) {
    signature += String.fromCharCode(number & 0xffff, number >>> 16);
  }
  return signature;
}

import { Bitset } from '../policy/index.js';
import type { EntityValue, IndexedPolicy } from '../policy/index.js';
import { rolesOn } from './access-model.js';
import type { AccessModel } from './access-model.js';
import type { Relation } from './relation.js';
import type { TargetSpace } from './target-space.js';

/** What brings an entity into policies: an attribute, several together, or its id. */
export interface Term {
  readonly number: number;
  readonly policies: IndexedPolicy[];
  /** Where it leads besides what all reach; found when first needed, null when it is nowhere. */
  row: Bitset | null | undefined;
}

interface ListTerm {
  readonly attributes: readonly string[];
  readonly term: Term;
}

/**
 * A relation of a model compiled by what policies ask for, so that the row of an entity is the
 * union of few sets: entities number many times the terms, and share them. Entities with the same
 * terms have the same row.
 */
export class Reach {
  /** What all reach. */
  readonly common: Bitset;
  private readonly byId = new Map<string, Term>();
  private readonly byAttribute = new Map<string, Term>();
  /** By the first attribute of the list. */
  private readonly byList = new Map<string, ListTerm[]>();
  private readonly targets: (policies: readonly IndexedPolicy[]) => Bitset;
  private commonCount: number | undefined;
  private terms = 0;

  /** `isPart`: the policies that count. */
  constructor(
    model: AccessModel,
    private readonly relation: Relation,
    readonly space: TargetSpace,
    isPart: (policy: IndexedPolicy) => boolean = () => true,
  ) {
    this.targets = relation.targets(model);
    const everybody: IndexedPolicy[] = [];
    for (const policy of model.policies(relation.kind)) {
      if (relation.layerOf(policy) === undefined || !isPart(policy)) continue;
      if (rolesOn(policy, relation.from).all) everybody.push(policy);
      else this.add(policy);
    }
    this.common = this.rowOf(everybody) ?? space.row();
  }

  /** Nobody has an empty row. */
  row(entity: EntityValue | undefined): Bitset {
    return this.union(this.termsOf(entity));
  }

  /** The row of whom the terms are of, as a copy of its own. */
  union(terms: readonly Term[] | undefined): Bitset {
    if (!terms) return this.space.row();
    const row = this.common.clone();
    for (const term of terms) if (term.row) row.or(term.row);
    return row;
  }

  /** How many are in the row. */
  count(terms: readonly Term[]): number {
    this.commonCount ??= this.common.popcount();
    return this.commonCount + countBesides(terms);
  }

  /** The terms that apply to the entity and lead somewhere; undefined for nobody. */
  termsOf(entity: EntityValue): Term[];
  termsOf(entity: EntityValue | undefined): Term[] | undefined;
  termsOf(entity: EntityValue | undefined): Term[] | undefined {
    if (!entity) return undefined;
    const found: Term[] = [];
    const own = this.byId.get(entity.id);
    if (own && this.leads(own)) found.push(own);
    for (const name of entity.attributes) this.addTermsOf(name, entity.attributes, found);
    return found;
  }

  private addTermsOf(name: string, held: readonly string[], found: Term[]): void {
    const term = this.byAttribute.get(name);
    if (term && this.leads(term)) found.push(term);
    const lists = this.byList.get(name);
    if (!lists) return;
    for (const list of lists) {
      if (list.attributes.every((other) => held.includes(other)) && this.leads(list.term)) {
        found.push(list.term);
      }
    }
  }

  private add(policy: IndexedPolicy): void {
    const { ids, attributes } = rolesOn(policy, this.relation.from);
    for (const id of ids) this.named(this.byId, id).policies.push(policy);
    if (policy.semantic === 'AllOf' && attributes.length > 1) this.addList(attributes, policy);
    else for (const name of attributes) this.named(this.byAttribute, name).policies.push(policy);
  }

  private addList(attributes: readonly string[], policy: IndexedPolicy): void {
    const first = attributes[0] ?? '';
    const term = this.term();
    term.policies.push(policy);
    const known = this.byList.get(first);
    if (known) known.push({ attributes, term });
    else this.byList.set(first, [{ attributes, term }]);
  }

  private named(terms: Map<string, Term>, name: string): Term {
    const known = terms.get(name);
    if (known) return known;
    const made = this.term();
    terms.set(name, made);
    return made;
  }

  private term(): Term {
    this.terms += 1;
    return { number: this.terms, policies: [], row: undefined };
  }

  private leads(term: Term): boolean {
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
      const mine = policies.filter((policy) => this.relation.layerOf(policy) === layer);
      if (mine.length === 0) continue;
      any = this.space.add(row, this.targets(mine), layer) || any;
    }
    return any ? row : null;
  }
}

/** How many are in the row besides those that all reach. */
export function countBesides(terms: readonly Term[]): number {
  const rows: Bitset[] = [];
  for (const { row } of terms) if (row) rows.push(row);
  return Bitset.unionCount(rows);
}

/** Says all that a row depends on. No signature is the beginning of another one. */
export function signatureOf(terms: readonly Term[] | undefined): string {
  if (!terms) return '-';
  let signature = `${terms.length} `;
  for (const { number } of terms) {
    signature += String.fromCharCode(number & 0xffff, number >>> 16);
  }
  return signature;
}

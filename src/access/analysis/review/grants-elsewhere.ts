import { Bitset, selectedBy } from '../../../kernel/policy/index.js';
import type { IndexedPolicy, ServicePolicyType } from '../../../kernel/policy/index.js';
import { membersOf } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import type { GrantingSide } from '../use/narrowed-side.js';

export type Rectangle = Readonly<Record<GrantingSide, Bitset>>;

/** What the policies of one type grant, with the policies that were edited in the analysis. */
export class GrantsElsewhere {
  private readonly edited = new Map<string, Rectangle>();
  private readonly members = new Map<string, Bitset>();

  constructor(
    private readonly model: AccessModel,
    private readonly type: ServicePolicyType,
  ) {}

  /** Sets what a policy grants after its edit. */
  edit(policyId: string, granted: Rectangle): void {
    this.edited.set(policyId, granted);
  }

  /** The policies of the type that grant the entity something, before all edits. */
  policiesOf(side: GrantingSide, id: string): IndexedPolicy[] {
    const entity = this.model.entity(selectedBy('servicePolicy', side), id);
    if (!entity) return [];
    return this.model
      .policiesWith('servicePolicy', side, entity)
      .filter(({ type }) => type === this.type);
  }

  /** The entities of the other side that policies grant to this one, except one policy. */
  beside(policy: IndexedPolicy, side: GrantingSide, place: Place): Bitset {
    const granted = new Bitset();
    for (const other of this.policiesOf(side, place.id)) {
      if (other.id !== policy.id) granted.or(this.grantedBy(other, side, place));
    }
    return granted;
  }

  /** The policies that grant a pair after the edits. */
  granting(identity: Place, service: number): string[] {
    return this.policiesOf('identities', identity.id)
      .filter((policy) => this.grantedBy(policy, 'identities', identity).has(service))
      .map(({ id }) => id);
  }

  private grantedBy(policy: IndexedPolicy, side: GrantingSide, { ordinal }: Place): Bitset {
    const across = OPPOSITE[side];
    const edited = this.edited.get(policy.id);
    if (!edited) return this.membersOf(policy, across);
    return edited[side].has(ordinal) ? edited[across] : NOTHING;
  }

  private membersOf(policy: IndexedPolicy, side: GrantingSide): Bitset {
    const key = `${side} ${policy.id}`;
    const members = this.members.get(key) ?? membersOf(this.model, 'servicePolicy', [policy], side);
    this.members.set(key, members);
    return members;
  }
}

/** An entity by its id and its ordinal in the model. */
export interface Place {
  readonly id: string;
  readonly ordinal: number;
}

const NOTHING = new Bitset();

const OPPOSITE = { identities: 'services', services: 'identities' } as const;

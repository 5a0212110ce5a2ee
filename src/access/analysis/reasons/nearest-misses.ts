import { byteSorted, compareBytes } from '../../../base/byte-order.js';
import {
  attribute,
  bool,
  described,
  id,
  int,
  object,
  objects,
  text,
  textSet,
} from '../../../kernel/declare/attribute.js';
import { SEMANTIC } from '../../../kernel/declare/resource.js';
import {
  approvedValue,
  isInForce,
  isPending,
  member,
  writtenAttributes,
} from '../../../kernel/policy/index.js';
import type {
  EntityValue,
  IndexedPolicy,
  Semantic,
  ServicePolicyType,
  Side,
} from '../../../kernel/policy/index.js';
import { isHoldable, roleTexts, writtenRolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { PAST_NAME } from './granting-paths.js';
import type { RowUpdate } from '../model/what-if-change.js';

/** One change that puts an entity in a side of a policy. */
export type Remedy =
  | {
      readonly kind: 'ADD_ATTRIBUTE';
      readonly entity: 'identity' | 'service';
      readonly id: string;
      readonly attributes: readonly string[];
      /** The number of additions. */
      readonly size: number;
      readonly change: RowUpdate;
    }
  | {
      readonly kind: 'ADD_ROLE';
      readonly policyId: string;
      readonly side: 'identities' | 'services';
      readonly role: string;
      readonly size: number;
      readonly change: RowUpdate;
    };

@described('The reasons why an entity is not in a side of a policy.')
export class MissingSide {
  /** In byte order. */
  @attribute(textSet(), { description: 'The attributes of the role list that the entity lacks.' })
  readonly missingAttributes!: readonly string[];

  /** Each one suffices alone; the smallest first, then in byte order of the additions. */
  readonly remedies!: readonly Remedy[];
}

@described('A policy that does not grant access.')
export class NearestMiss {
  @attribute(id(), { description: 'Id of the policy.', restName: 'policy.id' })
  readonly policyId!: string;

  @attribute(text(), { description: PAST_NAME, restName: 'policy.name' })
  readonly policyName!: string;

  @attribute(SEMANTIC, { description: 'Whether it requires all attributes or any.' })
  readonly semantic!: Semantic;

  @attribute(int(), {
    description:
      'The least number of changes after which it grants access; 0 if it only is not in force, or the identity only waits for its approval.',
  })
  readonly changes!: number;

  @attribute(bool(), {
    description:
      'Whether the policy is in force. One that is not grants nothing, whoever it selects; its `nextChangeAt` tells when it begins.',
  })
  readonly isInForce!: boolean;

  @attribute(object(() => MissingSide), {
    nullable: true,
    description: 'Null if the identity is in this side.',
  })
  readonly identitySide!: MissingSide | null;

  @attribute(object(() => MissingSide), {
    nullable: true,
    description: 'Null if the service is in this side.',
  })
  readonly serviceSide!: MissingSide | null;
}

@described('Policies that nearly grant access, fewest changes first.')
export class NearestMisses {
  @attribute(int(), {
    description: 'Number of policies of the type that do not grant access.',
  })
  readonly totalCount!: number;

  @attribute(objects(() => NearestMiss), { description: 'The first of these policies.' })
  readonly nodes!: readonly NearestMiss[];
}

/** A miss before the name of the policy is known. */
export type FoundMiss = Omit<NearestMiss, 'policyName'>;

/** The nearest misses before names are known. */
export interface FoundMisses extends Omit<NearestMisses, 'nodes'> {
  readonly nodes: readonly FoundMiss[];
}

/**
 * Gives the policies nearest to granting a pair: fewest changes first, then fewest missing
 * attributes, then in byte order of their ids. A role list always accepts one more id, so one
 * change is enough on each side. A policy that is not in force may need none. An identity that is
 * pending counts as it is after its approval, which may be all that is missing.
 */
export function nearestMisses(
  model: AccessModel,
  identity: EntityValue,
  service: EntityValue,
  type: ServicePolicyType,
  count: number,
): FoundMisses {
  const touching = new NearestCandidates(count, identity, service);
  let granting = 0;
  for (const policy of policiesNaming(model, identity)) {
    if (policy.type === type && !touching.offer(policy)) granting += 1;
  }
  for (const policy of model.policiesWith('servicePolicy', 'services', service)) {
    if (policy.type === type) touching.offer(policy);
  }
  // Policies that contain one of the two come before all others. One that is not in force may still name both.
  const isEnough = touching.nearest.length === count;
  const nearest = isEnough ? touching : new NearestCandidates(count, identity, service);
  const ofType = [...model.policies('servicePolicy')].filter((policy) => policy.type === type);
  for (const policy of ofType) if (!isEnough || !isInForce(policy)) nearest.offer(policy);
  return {
    totalCount: ofType.length - granting,
    nodes: nearest.nearest.map((miss) => nearest.missOf(miss)),
  };
}

/** The policies with the identity, also those that select it after its approval. */
function policiesNaming(model: AccessModel, identity: EntityValue): ReadonlySet<IndexedPolicy> {
  const states = isPending(identity) ? [identity, approvedValue(identity)] : [identity];
  return new Set(
    states.flatMap((state) => model.policiesWith('servicePolicy', 'identities', state)),
  );
}

interface Candidate {
  readonly policy: IndexedPolicy;
  readonly changes: number;
  readonly missing: number;
}

/** The nearest candidates in order. Most of thousands are rejected before an object is made. */
class NearestCandidates {
  readonly nearest: Candidate[] = [];

  constructor(
    private readonly count: number,
    private readonly identity: EntityValue,
    private readonly service: EntityValue,
  ) {}

  /** Adds the policy if it is near; gives whether it does not grant the pair. */
  offer(policy: IndexedPolicy): boolean {
    const lacksIdentity = !isNamed(policy, 'identities', this.identity);
    const lacksService = !isNamed(policy, 'services', this.service);
    const changes = Number(lacksIdentity) + Number(lacksService);
    if (changes === 0 && isInForce(policy) && isSelected(policy, 'identities', this.identity)) {
      return false;
    }
    const missing =
      (lacksIdentity ? distance(policy, 'identities', this.identity) : 0) +
      (lacksService ? distance(policy, 'services', this.service) : 0);
    this.insert(policy, changes, missing);
    return true;
  }

  missOf({ policy, changes }: Candidate): FoundMiss {
    const { identity, service } = this;
    const side = (name: 'identities' | 'services', entity: EntityValue): MissingSide | null =>
      isNamed(policy, name, entity) ? null : missingSide(policy, name, entity);
    return {
      policyId: policy.id,
      semantic: policy.semantic,
      changes,
      isInForce: isInForce(policy),
      identitySide: side('identities', identity),
      serviceSide: side('services', service),
    };
  }

  private insert(policy: IndexedPolicy, changes: number, missing: number): void {
    const { nearest } = this;
    let place = nearest.length;
    while (place > 0 && this.isBefore(policy, changes, missing, place - 1)) place -= 1;
    if (place >= this.count) return;
    nearest.splice(place, 0, { policy, changes, missing });
    if (nearest.length > this.count) nearest.pop();
  }

  private isBefore(policy: IndexedPolicy, changes: number, missing: number, at: number): boolean {
    const other = this.nearest[at];
    if (!other) return false;
    const order = changes - other.changes || missing - other.missing;
    return order === 0 ? compareBytes(policy.id, other.policy.id) < 0 : order < 0;
  }
}

/** Whether the policy selects the entity in its times, or after its approval. */
const isNamed = (policy: IndexedPolicy, side: Side, entity: EntityValue): boolean =>
  isSelected(policy, side, entity) ||
  (isPending(entity) && isSelected(policy, side, approvedValue(entity)));

const isSelected = (policy: IndexedPolicy, side: Side, entity: EntityValue): boolean =>
  member(writtenRolesOn(policy, side), policy.semantic, entity);

/** Gives the number of attributes that the entity lacks, or 1 if one role is enough. */
function distance(policy: IndexedPolicy, side: Side, entity: EntityValue): number {
  if (policy.semantic === 'AnyOf') return 1;
  const { attributes } = approvedValue(entity);
  let lacking = 0;
  for (const name of writtenRolesOn(policy, side).attributes) {
    if (!attributes.includes(name)) lacking += 1;
  }
  return Math.max(1, lacking);
}

const KINDS = { identities: 'identity', services: 'service' } as const;

function missingSide(
  policy: IndexedPolicy,
  side: 'identities' | 'services',
  entity: EntityValue,
): MissingSide {
  const { attributes } = approvedValue(entity);
  const missingAttributes = byteSorted(writtenRolesOn(policy, side).attributes).filter(
    (name) => !attributes.includes(name),
  );
  const lists =
    policy.semantic === 'AllOf'
      ? [missingAttributes].filter((list) => list.length > 0)
      : missingAttributes.map((name) => [name]);
  const remedies = [
    ...lists
      .filter((list) => list.every(isHoldable))
      .map((list) => addAttributes(KINDS[side], entity, list)),
    addRole(policy, side, entity.id),
  ];
  return { missingAttributes, remedies: remedies.sort((a, b) => a.size - b.size) };
}

function addAttributes(
  kind: 'identity' | 'service',
  entity: EntityValue,
  attributes: readonly string[],
): Remedy {
  const { id } = entity;
  const update = { attributes: byteSorted([...writtenAttributes(entity), ...attributes]) };
  const change = { kind, id, update };
  return { kind: 'ADD_ATTRIBUTE', entity: kind, id, attributes, size: attributes.length, change };
}

function addRole(policy: IndexedPolicy, side: 'identities' | 'services', id: string): Remedy {
  const role = `@${id}`;
  const roles = { [side]: byteSorted([...roleTexts(writtenRolesOn(policy, side)), role]) };
  const change: RowUpdate = { kind: 'servicePolicy', id: policy.id, update: { roles } };
  return { kind: 'ADD_ROLE', policyId: policy.id, side, role, size: 1, change };
}

import { byteSorted, compareBytes } from '../kernel/byte-order.js';
import type {
  EntityValue,
  IndexedPolicy,
  Semantic,
  ServicePolicyType,
  Side,
} from '../policy/index.js';
import { roleTexts, rolesOn } from './access-model.js';
import type { AccessModel } from './access-model.js';
import type { RowUpdate } from './what-if-change.js';

/** One change that has an entity in the side of a policy. */
export type Remedy =
  | {
      readonly kind: 'ADD_ATTRIBUTE';
      readonly entity: 'identity' | 'service';
      readonly id: string;
      readonly attributes: readonly string[];
      /** How many things are added. */
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

export interface MissingSide {
  /** The attributes of the role list that the entity lacks, in byte order. */
  readonly missingAttributes: readonly string[];
  /** Each of them will do by itself; the smallest first, and in byte order of what is added. */
  readonly remedies: readonly Remedy[];
}

/** A policy that does not grant a pair. A side is null when the entity is in it already. */
export interface NearestMiss {
  readonly policyId: string;
  readonly semantic: Semantic;
  /** The least number of additions that make the policy grant the pair. */
  readonly changes: number;
  readonly identitySide: MissingSide | null;
  readonly serviceSide: MissingSide | null;
}

export interface NearestMisses {
  readonly misses: readonly NearestMiss[];
  /** How many policies of the type do not grant the pair. */
  readonly totalCount: number;
}

/**
 * The policies that come nearest to granting a pair: fewest changes first, then fewest missing
 * attributes, then in byte order of their ids. An id can always be added to a role list, so one
 * change is enough on each side.
 */
export function nearestMisses(
  model: AccessModel,
  identity: EntityValue,
  service: EntityValue,
  type: ServicePolicyType,
  count: number,
): NearestMisses {
  const withEntity = (side: Side, entity: EntityValue): Set<IndexedPolicy> =>
    new Set(
      model.policiesWith('servicePolicy', side, entity).filter((policy) => policy.type === type),
    );
  const hasIdentity = withEntity('identities', identity);
  const hasService = withEntity('services', service);
  const misses = (policies: Iterable<IndexedPolicy>): IndexedPolicy[] =>
    [...policies].filter((policy) => !hasIdentity.has(policy) || !hasService.has(policy));
  const ofType = [...model.policies('servicePolicy')].filter((policy) => policy.type === type);
  const touching = new Set([...hasIdentity, ...hasService]);
  const oneSided = misses(touching);
  const granting = touching.size - oneSided.length;
  const candidates = (oneSided.length < count ? misses(ofType) : oneSided).map(
    (policy): Candidate => {
      const inIdentities = hasIdentity.has(policy);
      const inServices = hasService.has(policy);
      const missing =
        (inIdentities ? 0 : distance(policy, 'identities', identity)) +
        (inServices ? 0 : distance(policy, 'services', service));
      return { policy, inIdentities, inServices, missing };
    },
  );
  const nearest = firstOf(candidates, count);
  return {
    totalCount: ofType.length - granting,
    misses: nearest.map(({ policy, inIdentities, inServices }) => ({
      policyId: policy.id,
      semantic: policy.semantic,
      changes: Number(!inIdentities) + Number(!inServices),
      identitySide: inIdentities ? null : missingSide(policy, 'identities', identity),
      serviceSide: inServices ? null : missingSide(policy, 'services', service),
    })),
  };
}

interface Candidate {
  readonly policy: IndexedPolicy;
  readonly inIdentities: boolean;
  readonly inServices: boolean;
  readonly missing: number;
}

const sidesMissed = ({ inIdentities, inServices }: Candidate): number =>
  Number(!inIdentities) + Number(!inServices);

const compareCandidates = (a: Candidate, b: Candidate): number =>
  sidesMissed(a) - sidesMissed(b) ||
  a.missing - b.missing ||
  compareBytes(a.policy.id, b.policy.id);

/** The first in their order: there can be thousands, of which a few are wanted. */
function firstOf(candidates: readonly Candidate[], count: number): Candidate[] {
  const found: Candidate[] = [];
  for (const candidate of candidates) {
    let place = found.length;
    while (place > 0 && compareCandidates(candidate, found[place - 1] ?? candidate) < 0) place -= 1;
    if (place >= count) continue;
    found.splice(place, 0, candidate);
    if (found.length > count) found.pop();
  }
  return found;
}

/** How many attributes would have the entity in the side; where none would, one role. */
function distance(policy: IndexedPolicy, side: Side, entity: EntityValue): number {
  if (policy.semantic === 'AnyOf') return 1;
  const { attributes } = rolesOn(policy, side);
  return Math.max(1, attributes.filter((name) => !entity.attributes.includes(name)).length);
}

const KINDS = { identities: 'identity', services: 'service' } as const;

function missingSide(
  policy: IndexedPolicy,
  side: 'identities' | 'services',
  entity: EntityValue,
): MissingSide {
  const missingAttributes = byteSorted(rolesOn(policy, side).attributes).filter(
    (name) => !entity.attributes.includes(name),
  );
  const lists =
    policy.semantic === 'AllOf'
      ? [missingAttributes].filter((list) => list.length > 0)
      : missingAttributes.map((name) => [name]);
  const remedies = [
    ...lists.filter(isHoldable).map((list) => addAttributes(KINDS[side], entity, list)),
    addRole(policy, side, entity.id),
  ];
  return { missingAttributes, remedies: remedies.sort((a, b) => a.size - b.size) };
}

/** Roles may name what no entity can hold. */
const isHoldable = (attributes: readonly string[]): boolean =>
  !attributes.some((name) => /^[#@]/.test(name));

function addAttributes(
  kind: 'identity' | 'service',
  { id, attributes: held }: EntityValue,
  attributes: readonly string[],
): Remedy {
  const update = { attributes: byteSorted([...held, ...attributes]) };
  const change = { kind, id, update };
  return { kind: 'ADD_ATTRIBUTE', entity: kind, id, attributes, size: attributes.length, change };
}

function addRole(policy: IndexedPolicy, side: 'identities' | 'services', id: string): Remedy {
  const role = `@${id}`;
  const roles = { [side]: byteSorted([...roleTexts(rolesOn(policy, side)), role]) };
  const change: RowUpdate = { kind: 'servicePolicy', id: policy.id, update: { roles } };
  return { kind: 'ADD_ROLE', policyId: policy.id, side, role, size: 1, change };
}

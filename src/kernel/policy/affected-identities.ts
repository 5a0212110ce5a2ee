import { Bitset } from './bitset.js';
import { POLICY_SIDES } from './policy-model.js';
import type {
  AnyPolicyValue,
  EntityKind,
  EntityValue,
  IndexedPolicy,
  PolicyKind,
  Side,
  SideOf,
} from './policy-model.js';
import { parseRoles, type MembershipSide } from './roles.js';

/** A change of the model with both states of the row; null where there is none. */
export type ModelChange =
  | {
      readonly kind: 'identity' | 'service' | 'postureCheck';
      readonly before: EntityValue | null;
      readonly after: EntityValue | null;
    }
  | {
      readonly kind: 'servicePolicy';
      readonly before: AnyPolicyValue | null;
      readonly after: AnyPolicyValue | null;
    };

/** The entities and policies of one state of the model. */
interface ModelState {
  policiesWith(kind: PolicyKind, side: Side, entity: EntityValue): IndexedPolicy[];
  union(kind: EntityKind, sides: Iterable<MembershipSide>): Bitset;
  ordinalOf(kind: EntityKind, id: string): number | undefined;
}

/**
 * Gives the identities, by ordinal, whose list of services changes: the services that they may dial
 * or bind, the services' attributes, or their posture checks. Both states of the changed row come
 * from the change. All other rows come from the model, so the model must have the state directly
 * before or after the change: in a later state, a related row may be deleted.
 */
export function affectedIdentities(model: ModelState, change: ModelChange): Bitset {
  switch (change.kind) {
    case 'identity':
      return affectedItself(model, change.before, change.after);
    case 'service':
      return bothStates(change, (service) =>
        reachedBy(model, policiesWith(model, 'services', service)),
      );
    case 'postureCheck':
      return bothStates(change, (check) => {
        const policies = policiesWith(model, 'postureChecks', check);
        return reachedBy(
          model,
          policies.filter((policy) => grants(model, policy)),
        );
      });
    case 'servicePolicy':
      return affectedByPolicy(model, change.before, change.after);
  }
}

/** An identity that is created or deleted has no earlier or later list to compare. */
function affectedItself(
  model: ModelState,
  before: EntityValue | null,
  after: EntityValue | null,
): Bitset {
  if (!before || !after) return new Bitset();
  const ordinal = model.ordinalOf('identity', after.id);
  if (ordinal === undefined) return new Bitset();
  const policiesBefore = new Set(policiesWith(model, 'identities', before));
  const policiesAfter = new Set(policiesWith(model, 'identities', after));
  const isOther =
    someGrants(model, policiesBefore, policiesAfter) ||
    someGrants(model, policiesAfter, policiesBefore);
  return isOther ? Bitset.of([ordinal]) : new Bitset();
}

/** Whether a policy grants something, leaving out others: most policies of an identity stay as it changes. */
function someGrants(
  model: ModelState,
  policies: ReadonlySet<IndexedPolicy>,
  others: ReadonlySet<IndexedPolicy>,
): boolean {
  for (const policy of policies) if (!others.has(policy) && grants(model, policy)) return true;
  return false;
}

/**
 * Identities that are in the policy in only one state; if another side changes, those of both
 * states.
 */
function affectedByPolicy(
  model: ModelState,
  before: AnyPolicyValue | null,
  after: AnyPolicyValue | null,
): Bitset {
  const [sidesBefore, sidesAfter] = [before, after].map((value) => sidesOf(model, value));
  if (!sidesBefore || !sidesAfter) return new Bitset();
  const isSame =
    before?.type === after?.type &&
    sidesBefore.services.equals(sidesAfter.services) &&
    sidesBefore.checks.equals(sidesAfter.checks);
  const either = sidesBefore.identities.clone().or(sidesAfter.identities);
  return isSame ? either.andNot(sidesBefore.identities.clone().and(sidesAfter.identities)) : either;
}

interface Sides {
  readonly identities: Bitset;
  readonly services: Bitset;
  readonly checks: Bitset;
}

const EMPTY: Sides = { identities: new Bitset(), services: new Bitset(), checks: new Bitset() };

/** The members of each side; a policy without services has no effect. */
function sidesOf(model: ModelState, value: AnyPolicyValue | null): Sides {
  if (!value) return EMPTY;
  const { semantic } = value;
  const membersOf = (side: OwnSide): Bitset =>
    members(model, side, [{ roles: parseRoles(value.roles[side] ?? []), semantic }]);
  const services = membersOf('services');
  if (services.popcount() === 0) return EMPTY;
  return { identities: membersOf('identities'), services, checks: membersOf('postureChecks') };
}

function bothStates(
  { before, after }: { readonly before: EntityValue | null; readonly after: EntityValue | null },
  affected: (value: EntityValue) => Bitset,
): Bitset {
  const identities = new Bitset();
  for (const value of [before, after]) if (value) identities.or(affected(value));
  return identities;
}

type OwnSide = SideOf<'servicePolicy'>;

const policiesWith = (model: ModelState, side: OwnSide, entity: EntityValue): IndexedPolicy[] =>
  model.policiesWith('servicePolicy', side, entity);

const grants = (model: ModelState, policy: IndexedPolicy): boolean =>
  !members(model, 'services', rolesOn([policy], 'services')).isEmpty();

const reachedBy = (model: ModelState, policies: readonly IndexedPolicy[]): Bitset =>
  members(model, 'identities', rolesOn(policies, 'identities'));

const members = (model: ModelState, side: OwnSide, roles: readonly MembershipSide[]): Bitset =>
  model.union(POLICY_SIDES.servicePolicy[side], roles);

const rolesOn = (policies: readonly IndexedPolicy[], side: OwnSide): MembershipSide[] =>
  policies.flatMap(({ sides, semantic }) => {
    const roles = sides[side];
    return roles ? [{ roles, semantic }] : [];
  });

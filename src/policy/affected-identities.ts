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

/** The entities and policies of one moment. */
interface Moment {
  policiesWith(kind: PolicyKind, side: Side, entity: EntityValue): IndexedPolicy[];
  union(kind: EntityKind, sides: Iterable<MembershipSide>): Bitset;
  ordinalOf(kind: EntityKind, id: string): number | undefined;
}

/**
 * The identities, by ordinal, whose list of services a change alters: what they may dial or bind,
 * the services themselves, or the posture checks in front of them. Both states of the changed row
 * are read from the change. All other rows are read from the model, so it must be that of the moment
 * of the change, right before or right after it: a later one may have lost what the change is about.
 */
export function affectedIdentities(model: Moment, change: ModelChange): Bitset {
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

/** An identity that comes or goes has no list that could change. */
function affectedItself(
  model: Moment,
  before: EntityValue | null,
  after: EntityValue | null,
): Bitset {
  if (!before || !after) return new Bitset();
  const ordinal = model.ordinalOf('identity', after.id);
  if (ordinal === undefined) return new Bitset();
  const granting = (identity: EntityValue): Set<IndexedPolicy> =>
    new Set(policiesWith(model, 'identities', identity).filter((p) => grants(model, p)));
  const had = granting(before);
  const has = granting(after);
  const isSame = had.size === has.size && [...had].every((policy) => has.has(policy));
  return isSame ? new Bitset() : Bitset.of([ordinal]);
}

/** Whoever is in the policy in one state alone, and everybody when its other sides change. */
function affectedByPolicy(
  model: Moment,
  before: AnyPolicyValue | null,
  after: AnyPolicyValue | null,
): Bitset {
  const [had, has] = [before, after].map((value) => sidesOf(model, value));
  if (!had || !has) return new Bitset();
  const isSame =
    before?.type === after?.type &&
    had.services.equals(has.services) &&
    had.checks.equals(has.checks);
  const either = had.identities.clone().or(has.identities);
  return isSame ? either.andNot(had.identities.clone().and(has.identities)) : either;
}

interface Sides {
  readonly identities: Bitset;
  readonly services: Bitset;
  readonly checks: Bitset;
}

const EMPTY: Sides = { identities: new Bitset(), services: new Bitset(), checks: new Bitset() };

/** A policy without services is as good as none. */
function sidesOf(model: Moment, value: AnyPolicyValue | null): Sides {
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
  const found = new Bitset();
  for (const value of [before, after]) if (value) found.or(affected(value));
  return found;
}

type OwnSide = SideOf<'servicePolicy'>;

const policiesWith = (model: Moment, side: OwnSide, entity: EntityValue): IndexedPolicy[] =>
  model.policiesWith('servicePolicy', side, entity);

const grants = (model: Moment, policy: IndexedPolicy): boolean =>
  !members(model, 'services', rolesOn([policy], 'services')).isEmpty();

const reachedBy = (model: Moment, policies: readonly IndexedPolicy[]): Bitset =>
  members(model, 'identities', rolesOn(policies, 'identities'));

const members = (model: Moment, side: OwnSide, roles: readonly MembershipSide[]): Bitset =>
  model.union(POLICY_SIDES.servicePolicy[side], roles);

const rolesOn = (policies: readonly IndexedPolicy[], side: OwnSide): MembershipSide[] =>
  policies.flatMap(({ sides, semantic }) => {
    const roles = sides[side];
    return roles ? [{ roles, semantic }] : [];
  });

import { Bitset } from './bitset.js';
import type { PolicyIndex } from './policy-index.js';
import type { AnyPolicyValue, EntityValue, IndexedPolicy } from './policy-model.js';

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

/**
 * The identities, by ordinal, whose list of services a change alters: what they may dial or bind,
 * the services themselves, or the posture checks in front of them. It reads both states from the
 * change and everything else from the index, whether or not the change is in there yet.
 */
export function affectedIdentities(index: PolicyIndex, change: ModelChange): Bitset {
  switch (change.kind) {
    case 'identity':
      return affectedItself(index, change.before, change.after);
    case 'service':
      return bothStates(change, (service) =>
        reachedBy(index, policiesWith(index, 'services', service)),
      );
    case 'postureCheck':
      return bothStates(change, (check) => {
        const policies = policiesWith(index, 'postureChecks', check);
        return reachedBy(
          index,
          policies.filter((policy) => grants(index, policy)),
        );
      });
    case 'servicePolicy':
      return affectedByPolicy(index, change.before, change.after);
  }
}

/** An identity that comes or goes has no list that could change. */
function affectedItself(
  index: PolicyIndex,
  before: EntityValue | null,
  after: EntityValue | null,
): Bitset {
  if (!before || !after) return new Bitset();
  const ordinal = index.ordinalOf('identity', after.id);
  if (ordinal === undefined) return new Bitset();
  const granting = (identity: EntityValue): Set<IndexedPolicy> =>
    new Set(policiesWith(index, 'identities', identity).filter((p) => grants(index, p)));
  const had = granting(before);
  const has = granting(after);
  const isSame = had.size === has.size && [...had].every((policy) => has.has(policy));
  return isSame ? new Bitset() : Bitset.of([ordinal]);
}

/** Whoever is in the policy in one state alone, and everybody when its other sides change. */
function affectedByPolicy(
  index: PolicyIndex,
  before: AnyPolicyValue | null,
  after: AnyPolicyValue | null,
): Bitset {
  const [had, has] = [before, after].map((value) => sidesOf(index, value));
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
function sidesOf(index: PolicyIndex, value: AnyPolicyValue | null): Sides {
  if (!value) return EMPTY;
  const services = index.membersOf('servicePolicy', value, 'services');
  if (services.popcount() === 0) return EMPTY;
  return {
    identities: index.membersOf('servicePolicy', value, 'identities'),
    services,
    checks: index.membersOf('servicePolicy', value, 'postureChecks'),
  };
}

function bothStates(
  { before, after }: { readonly before: EntityValue | null; readonly after: EntityValue | null },
  affected: (value: EntityValue) => Bitset,
): Bitset {
  const found = new Bitset();
  for (const value of [before, after]) if (value) found.or(affected(value));
  return found;
}

const policiesWith = (
  index: PolicyIndex,
  side: 'identities' | 'services' | 'postureChecks',
  entity: EntityValue,
): IndexedPolicy[] => index.policiesWith('servicePolicy', side, entity);

const grants = (index: PolicyIndex, { id }: IndexedPolicy): boolean =>
  index.memberCount('servicePolicy', id, 'services') > 0;

function reachedBy(index: PolicyIndex, policies: readonly IndexedPolicy[]): Bitset {
  const found = new Bitset();
  for (const { id } of policies) found.or(index.members('servicePolicy', id, 'identities'));
  return found;
}

import { byteSorted } from '../../../base/byte-order.js';
import type { IndexedPolicy } from '../../../kernel/policy/index.js';
import type { AccessModel } from '../model/access-model.js';
import type { AccessPair } from '../pairs/access-pair.js';
import { accessList } from '../pairs/access-pairs.js';
import type { AccessQuery } from '../pairs/access-selection.js';
import { isIn } from '../reasons/granting-paths.js';
import type { Sliced } from '../../../base/slices.js';

/** Access with its reason. */
export interface GrantedPair extends AccessPair {
  /** The policies that grant it, in byte order of their ids. */
  readonly policyIds: readonly string[];
}

const PAIRS_IN_A_STEP = 16;

/** Gives pairs in order, each with all policies that grant it. */
export function* grantedPairs(model: AccessModel, query: AccessQuery): Sliced<GrantedPair[]> {
  const list = yield* accessList(model, query);
  const granted: GrantedPair[] = [];
  let policies: readonly IndexedPolicy[] = [];
  let policiesFor: string | undefined;
  for (const pair of list) {
    if (pair.identityId !== policiesFor) {
      policies = policiesOf(model, pair.identityId);
      policiesFor = pair.identityId;
    }
    const { identityId, serviceId, type } = pair;
    granted.push({ identityId, serviceId, type, policyIds: grantingIds(model, policies, pair) });
    if (granted.length % PAIRS_IN_A_STEP === 0) yield;
  }
  return granted;
}

function policiesOf(model: AccessModel, identityId: string): readonly IndexedPolicy[] {
  const identity = model.entity('identity', identityId);
  return identity ? model.policiesWith('servicePolicy', 'identities', identity) : [];
}

function grantingIds(
  model: AccessModel,
  policies: readonly IndexedPolicy[],
  { serviceId, type }: AccessPair,
): string[] {
  const service = model.entity('service', serviceId);
  if (!service) return [];
  const granting = policies.filter(
    (policy) => policy.type === type && isIn(policy, 'services', service),
  );
  return byteSorted(granting.map(({ id }) => id));
}

import type { Bitset, IndexedPolicy, ServicePolicyType } from '../policy/index.js';
import { everyone, membersOf } from './access-model.js';
import type { AccessModel } from './access-model.js';
import type { Finding, FindingKind } from './finding.js';
import { Reach } from './reach.js';
import type { Term } from './reach.js';
import { ACCESS_OF_ANY_TYPE, SHARED_ROUTER } from './relation.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';
import { TargetSpace } from './target-space.js';

/** Services that nobody may dial, and those that nobody hosts or may. */
export function* unreachedServices(
  model: AccessModel,
  hasTerminators: (serviceId: string) => boolean,
): Sliced<Finding[]> {
  const finding = (kind: FindingKind, id: string, text: string): Finding => ({
    kind,
    severity: 'MEDIUM',
    entities: [{ kind: 'service', id }],
    entityCount: 1,
    text,
    changes: [],
  });
  const without = function* (type: ServicePolicyType): Sliced<string[]> {
    const granted = yield* grantedToSomebody(model, type);
    return model.idsOf('service', everyone(model, 'service').andNot(granted));
  };
  return [
    ...(yield* without('Dial')).map((id) =>
      finding('SERVICE_NOBODY_DIALS', id, `Nobody may dial the service ${id}.`),
    ),
    ...(yield* without('Bind'))
      .filter((id) => !hasTerminators(id))
      .map((id) =>
        finding(
          'SERVICE_NOBODY_HOSTS',
          id,
          `Nobody may bind the service ${id}, and it has no terminator.`,
        ),
      ),
  ];
}

function* grantedToSomebody(model: AccessModel, type: ServicePolicyType): Sliced<Bitset> {
  const granting: IndexedPolicy[] = [];
  yield* eachSliced([...model.policies('servicePolicy')], 64, (policy) => {
    if (policy.type !== type) return;
    const identities = membersOf(model, 'servicePolicy', [policy], 'identities');
    if (identities.intersects(identities)) granting.push(policy);
  });
  return membersOf(model, 'servicePolicy', granting, 'services');
}

/** The identities that reach services, but none over a router that both may use. */
export function* unroutedIdentities(model: AccessModel): Sliced<Finding[]> {
  const space = yield* TargetSpace.of([model], 'service', [everyone(model, 'service')]);
  const access = new Reach(model, ACCESS_OF_ANY_TYPE, space);
  const shared = new Reach(model, SHARED_ROUTER, space);
  yield;
  const found: Finding[] = [];
  yield* eachSliced(model.idsOf('identity', everyone(model, 'identity')), 32, (id) => {
    const identity = model.entity('identity', id);
    if (!identity) return;
    // A union meets another one when some part of it meets a part of the other.
    const reached = partsOf(access, access.termsOf(identity));
    if (reached.length === 0) return;
    const routed = partsOf(shared, shared.termsOf(identity));
    if (reached.some((part) => routed.some((other) => part.intersects(other)))) return;
    found.push({
      kind: 'IDENTITY_WITHOUT_ROUTER',
      severity: 'MEDIUM',
      entities: [{ kind: 'identity', id }],
      entityCount: 1,
      text: `The identity ${id} shares no router with any of its services.`,
      changes: [],
    });
  });
  return found;
}

function partsOf({ common }: Reach, terms: readonly Term[]): Bitset[] {
  const parts = common.intersects(common) ? [common] : [];
  for (const { row } of terms) if (row) parts.push(row);
  return parts;
}

import type { Bitset, IndexedPolicy, ServicePolicyType } from '../../../kernel/policy/index.js';
import { allOrdinals, membersOf } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import type { FoundFinding, FindingKind } from './finding.js';
import { Reach } from '../pairs/reach.js';
import type { Term } from '../pairs/reach.js';
import { ACCESS_OF_ANY_TYPE, SHARED_ROUTER } from '../pairs/relation.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { TargetSpace } from '../pairs/target-space.js';

/** Finds services that no identity may dial, and services without a terminator or a binder. */
export function* unreachedServices(
  model: AccessModel,
  hasTerminators: (serviceId: string) => boolean,
): Sliced<FoundFinding[]> {
  const finding = (kind: FindingKind, id: string, text: string): FoundFinding => ({
    kind,
    severity: 'MEDIUM',
    entities: [{ kind: 'service', id }],
    entityCount: 1,
    text,
    changes: [],
  });
  const servicesWithout = function* (type: ServicePolicyType): Sliced<string[]> {
    const granted = yield* grantedServices(model, type);
    return model.idsOf('service', allOrdinals(model, 'service').andNot(granted));
  };
  return [
    ...(yield* servicesWithout('Dial')).map((id) =>
      finding('SERVICE_NOBODY_DIALS', id, `Nobody may dial the service ${id}.`),
    ),
    ...(yield* servicesWithout('Bind'))
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

function* grantedServices(model: AccessModel, type: ServicePolicyType): Sliced<Bitset> {
  const grantingPolicies: IndexedPolicy[] = [];
  yield* eachSliced([...model.policies('servicePolicy')], 64, (policy) => {
    if (policy.type !== type) return;
    const identities = membersOf(model, 'servicePolicy', [policy], 'identities');
    if (identities.intersects(identities)) grantingPolicies.push(policy);
  });
  return membersOf(model, 'servicePolicy', grantingPolicies, 'services');
}

/** The identities that reach services, but none over a router that both may use. */
export function* unroutedIdentities(model: AccessModel): Sliced<FoundFinding[]> {
  const space = yield* TargetSpace.of([model], 'service', [allOrdinals(model, 'service')]);
  const access = new Reach(model, ACCESS_OF_ANY_TYPE, space);
  const shared = new Reach(model, SHARED_ROUTER, space);
  yield;
  const findings: FoundFinding[] = [];
  yield* eachSliced(model.idsOf('identity', allOrdinals(model, 'identity')), 32, (id) => {
    const identity = model.entity('identity', id);
    if (!identity) return;
    // Two unions intersect when a set of one intersects a set of the other.
    const reached = setsOf(access, access.termsOf(identity));
    if (reached.length === 0) return;
    const routed = setsOf(shared, shared.termsOf(identity));
    if (reached.some((part) => routed.some((other) => part.intersects(other)))) return;
    findings.push({
      kind: 'IDENTITY_WITHOUT_ROUTER',
      severity: 'MEDIUM',
      entities: [{ kind: 'identity', id }],
      entityCount: 1,
      text: `The identity ${id} shares no router with any of its services.`,
      changes: [],
    });
  });
  return findings;
}

function setsOf({ common }: Reach, terms: readonly Term[]): Bitset[] {
  const sets = common.intersects(common) ? [common] : [];
  for (const { row } of terms) if (row) sets.push(row);
  return sets;
}

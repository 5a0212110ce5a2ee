import { byteSorted } from '../../../base/byte-order.js';
import type { ComingPolicy } from '../../../data/rows/policy/index.js';
import type { EndingIdentity } from '../../../data/rows/identity/index.js';
import type { ComingAttributes } from '../../../data/rows/role-assignment/index.js';
import {
  withAttributes,
  writtenAttributes,
  type Bitset,
  type EntityValue,
} from '../../../kernel/policy/index.js';
import { allOrdinals, type AccessModel } from '../model/access-model.js';
import { eachSliced, type Sliced } from '../../../base/slices.js';
import { ModelOverlay } from '../model/model-overlay.js';
import { deletion } from '../model/what-if-change.js';
import { rowInForce } from '../model/row-in-force.js';
import { forceAt } from '../../times/index.js';
import { accessDelta } from '../what-if/access-delta.js';
import { Reach } from '../pairs/reach.js';
import { ACCESS } from '../pairs/relation.js';
import { TargetSpace } from '../pairs/target-space.js';
import { MAX_ENTITIES, type FoundFinding } from './finding.js';

/** Finds identities whose role assignments end, and with them access that nothing else grants. */
export function* endingAccess(
  model: AccessModel,
  coming: readonly ComingAttributes[],
): Sliced<FoundFinding[]> {
  if (coming.length === 0) return [];
  const access = yield* accessIn(model);
  const findings: FoundFinding[] = [];
  yield* eachSliced(coming, 32, ({ identityId, attributes, firstEnd }) => {
    const identity = model.entity('identity', identityId);
    if (!identity || !firstEnd) return;
    const lost = lostServices(access, identity, attributes);
    const text = `Role assignments of the identity ${identityId} end, the first at ${firstEnd.toISOString()}, and with them access to services (${String(lost.length)}) that nothing else grants.`;
    if (lost.length > 0) findings.push(endingFinding(identityId, lost, text));
  });
  return findings;
}

/** Finds identities whose time is over, and with it all of their access. */
export function* endingIdentities(
  model: AccessModel,
  ending: readonly EndingIdentity[],
): Sliced<FoundFinding[]> {
  if (ending.length === 0) return [];
  const access = yield* accessIn(model);
  const findings: FoundFinding[] = [];
  yield* eachSliced(ending, 32, ({ id, validUntil }) => {
    const identity = model.entity('identity', id);
    if (!identity) return;
    const lost = servicesIn(access, access.row(identity));
    const text = `The time of the identity ${id} is over at ${validUntil.toISOString()}, and with it its access to services (${String(lost.length)}).`;
    if (lost.length > 0) findings.push(endingFinding(id, lost, text));
  });
  return findings;
}

/** The access of identities to all services. */
function* accessIn(model: AccessModel): Sliced<Reach> {
  const services = allOrdinals(model, 'service');
  const layers = Array.from({ length: ACCESS.layers }, () => services);
  const access = new Reach(model, ACCESS, yield* TargetSpace.of([model], 'service', layers));
  yield;
  return access;
}

/** Gives the services that the identity loses a type of access to, once it has these assigned attributes. */
function lostServices(
  access: Reach,
  identity: EntityValue,
  attributes: readonly string[],
): readonly string[] {
  const later = withAttributes(identity, writtenAttributes(identity), attributes);
  return servicesIn(access, access.row(identity).andNot(access.row(later)));
}

function servicesIn(access: Reach, pairs: Bitset): readonly string[] {
  const services = new Set<string>();
  pairs.forEach((place) => services.add(access.space.at(place).to));
  return byteSorted(services);
}

const endingFinding = (id: string, services: readonly string[], text: string): FoundFinding => ({
  kind: 'ACCESS_ENDS_SOON',
  severity: 'LOW',
  entities: [
    { kind: 'identity', id },
    ...services
      .slice(0, MAX_ENTITIES - 1)
      .map((service) => ({ kind: 'service' as const, id: service })),
  ],
  entityCount: 1 + services.length,
  text,
  changes: [],
});

/** A service policy that begins or ends within a week. */
export interface ComingInAWeek extends ComingPolicy {
  /** Whether its whole time is over then; a window comes again. */
  readonly isLastEnd: boolean;
}

/** Finds service policies in force that end, and with them access that no other policy grants at that time. */
export function* endingPolicies(
  model: AccessModel,
  coming: readonly ComingInAWeek[],
): Sliced<FoundFinding[]> {
  const findings: FoundFinding[] = [];
  for (const { id, isInForce, isLastEnd, validUntil } of coming) {
    if (!isInForce || !isLastEnd || validUntil === null) continue;
    const then = new ModelOverlay(model);
    for (const other of coming) {
      const row = other.id !== id && rowInForce(model, other.id, forceAt(other, validUntil));
      if (row) then.apply(row);
    }
    const { lost } = yield* accessDelta(then, deletion('servicePolicy', id), {}, 0);
    if (lost.totalCount > 0) findings.push(endingPolicy(id, lost.totalCount, validUntil));
    yield;
  }
  return findings;
}

const endingPolicy = (id: string, pairs: number, end: Date): FoundFinding => ({
  kind: 'ACCESS_ENDS_SOON',
  severity: 'LOW',
  entities: [{ kind: 'servicePolicy', id }],
  entityCount: 1,
  text: `The service policy ${id} ends at ${end.toISOString()}, and with it access of identities to services (${String(pairs)} pairs) that no other policy grants then.`,
  changes: [],
});

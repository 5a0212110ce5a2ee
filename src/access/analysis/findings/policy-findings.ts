import { byteSorted } from '../../../base/byte-order.js';
import { PENDING, POLICY_KINDS, selectedBy } from '../../../kernel/policy/index.js';
import type { Bitset, IndexedPolicy, PolicyKind, Side } from '../../../kernel/policy/index.js';
import {
  allOrdinals,
  roleTexts,
  sidesOf,
  writtenMembersOf,
  writtenRolesOn,
} from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { MAX_ENTITIES, NAMES, SIDE_NAMES } from './finding.js';
import type { FoundFinding, IsSystem } from './finding.js';
import { grantingSides } from './implied-policies.js';
import type { ImpliedPolicies } from './implied-policies.js';
import { redundantPolicies } from './redundant-policies.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { deletion } from '../model/what-if-change.js';

/**
 * Gives findings about policies alone: useless roles, and policies too narrow or too broad. A policy that is not in
 * force now has the same ones as in its times.
 */
export function* policyFindings(
  model: AccessModel,
  implied: ImpliedPolicies,
): Sliced<FoundFinding[]> {
  const findings: FoundFinding[] = [];
  for (const kind of POLICY_KINDS) {
    yield* eachSliced([...model.policies(kind)], 16, (policy) => {
      findings.push(...emptyRoles(model, kind, policy));
      findings.push(...grantingNothing(model, kind, policy));
      findings.push(...overbroad(kind, policy));
    });
    for (const { id, by, isDuplicate } of yield* implied.of(kind)) {
      const effect = isDuplicate
        ? `grants the same as ${by}`
        : `grants nothing that ${by} does not grant`;
      findings.push({
        kind: isDuplicate ? 'DUPLICATE_POLICY' : 'SHADOWED_POLICY',
        severity: 'LOW',
        entities: [
          { kind, id },
          { kind, id: by },
        ],
        entityCount: 2,
        text: `The ${NAMES[kind]} ${id} ${effect}.`,
        changes: [deletion(kind, id)],
      });
    }
  }
  return findings;
}

/** Finds policies that grant nothing beyond the others with the attributes of the present entities. */
export function* redundancyFindings(
  model: AccessModel,
  isSystem: IsSystem,
  implied: ImpliedPolicies,
): Sliced<FoundFinding[]> {
  const findings: FoundFinding[] = [];
  for (const kind of POLICY_KINDS) {
    const impliedIds = new Set((yield* implied.of(kind)).map(({ id }) => id));
    const redundant = yield* redundantPolicies(
      model,
      kind,
      (id) => !isSystem(kind, id),
      (id) => !impliedIds.has(id),
    );
    for (const { id, by } of redundant) findings.push(redundancy(kind, id, by));
  }
  return findings;
}

function redundancy(kind: PolicyKind, id: string, by: readonly string[]): FoundFinding {
  const policies = [id, ...by];
  const others =
    by.length === 1
      ? `${String(by[0])} does not grant`
      : `${String(by.length)} other policies do not grant together`;
  return {
    kind: by.length === 1 ? 'POLICY_REDUNDANT_TODAY' : 'POLICY_COVERED_TODAY',
    severity: 'LOW',
    entities: policies.slice(0, MAX_ENTITIES).map((policy) => ({ kind, id: policy })),
    entityCount: policies.length,
    text: `The ${NAMES[kind]} ${id} grants nothing today that ${others}.`,
    changes: [],
  };
}

/** Finds roles `#attribute` and `@id` that match nothing by themselves. */
function emptyRoles(model: AccessModel, kind: PolicyKind, policy: IndexedPolicy): FoundFinding[] {
  const { id } = policy;
  return sidesOf(kind).flatMap((side) => {
    const roles = byteSorted(roleTexts(writtenRolesOn(policy, side)));
    const empty = roles.filter(
      (role) => role !== '#all' && matchesNothing(model, kind, side, role),
    );
    return empty.map((role): FoundFinding => {
      const remainingRoles = roles.filter((other) => other !== role);
      return {
        kind: 'ROLE_MATCHES_NOTHING',
        severity: 'MEDIUM',
        entities: [{ kind, id }],
        entityCount: 1,
        side,
        about: role,
        text: `The role ${role} among the ${SIDE_NAMES[side]} of the ${NAMES[kind]} ${id} matches nothing.`,
        changes: isRemovable(policy, side, role)
          ? [{ kind, id, update: { roles: { [side]: remainingRoles } } }]
          : [],
      };
    });
  });
}

function matchesNothing(model: AccessModel, kind: PolicyKind, side: Side, role: string): boolean {
  const entities = selectedBy(kind, side);
  const name = role.slice(1);
  if (role.startsWith('#') && isForPending(side, [name])) return false;
  if (role.startsWith('@')) return model.ordinalOf(entities, name) === undefined;
  const roles = { all: false, attributes: [name], ids: [] };
  return isEmpty(model.union(entities, [{ roles, semantic: 'AnyOf' }]));
}

/** A role for identities that are pending is of use also while none is. */
const isForPending = (side: Side, attributes: readonly string[]): boolean =>
  side === 'identities' && attributes.includes(PENDING);

/** In an AllOf list of several attributes, removing one would give the policy more members. */
const isRemovable = (policy: IndexedPolicy, side: Side, role: string): boolean =>
  policy.semantic === 'AnyOf' ||
  role.startsWith('@') ||
  new Set(writtenRolesOn(policy, side).attributes).size === 1;

function grantingNothing(
  model: AccessModel,
  kind: PolicyKind,
  policy: IndexedPolicy,
): FoundFinding[] {
  const { id } = policy;
  const side = grantingSides(kind).find(
    (s) =>
      !isForPending(s, writtenRolesOn(policy, s).attributes) &&
      isEmpty(writtenMembersOf(model, kind, [policy], s)),
  );
  if (!side) return [];
  return [
    {
      kind: 'POLICY_GRANTS_NOTHING',
      severity: 'MEDIUM',
      entities: [{ kind, id }],
      entityCount: 1,
      side,
      text: `The ${NAMES[kind]} ${id} grants nothing: its ${SIDE_NAMES[side]} match nothing.`,
      changes: [deletion(kind, id)],
    },
  ];
}

function overbroad(kind: PolicyKind, policy: IndexedPolicy): FoundFinding[] {
  const { id } = policy;
  const broad = grantingSides(kind).filter((side) => writtenRolesOn(policy, side).all);
  const [side] = broad;
  if (!side) return [];
  const serviceSeverity = broad.length > 1 ? 'HIGH' : 'MEDIUM';
  return [
    {
      kind: 'OVERBROAD_POLICY',
      severity: kind === 'servicePolicy' ? serviceSeverity : 'LOW',
      entities: [{ kind, id }],
      entityCount: 1,
      ...(broad.length === 1 && { side }),
      text: `The ${NAMES[kind]} ${id} has #all among its ${broad.map((s) => SIDE_NAMES[s]).join(' and its ')}.`,
      changes: [],
    },
  ];
}

/** Finds the posture checks that no service policy uses. */
export function unusedPostureChecks(model: AccessModel): FoundFinding[] {
  const policies = [...model.policies('servicePolicy')];
  const unused = allOrdinals(model, 'postureCheck').andNot(
    writtenMembersOf(model, 'servicePolicy', policies, 'postureChecks'),
  );
  return model.idsOf('postureCheck', unused).map((id) => ({
    kind: 'UNUSED_POSTURE_CHECK',
    severity: 'MEDIUM',
    entities: [{ kind: 'postureCheck', id }],
    entityCount: 1,
    text: `The posture check ${id} protects nothing: no service policy has it.`,
    changes: [{ kind: 'postureCheck', id, value: null }],
  }));
}

const isEmpty = (members: Bitset): boolean => !members.intersects(members);

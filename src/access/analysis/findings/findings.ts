import type { EmergencyUse } from '../../../data/rows/access-request/index.js';
import type { ComingAttributes } from '../../../data/rows/role-assignment/index.js';
import type { AccessModel } from '../model/access-model.js';
import { RuleSides } from '../rules/rule-sides.js';
import type { AccessRule } from '../rules/rule-sides.js';
import { attributeFindings } from './attribute-findings.js';
import type { EndingIdentity } from '../../../data/rows/identity/index.js';
import {
  endingAccess,
  endingIdentities,
  endingPolicies,
  type ComingInAWeek,
} from './ending-access.js';
import { compareFindings, SIDE_NAMES } from './finding.js';
import type { FoundFinding, FindingKind, IsSystem } from './finding.js';
import { subjectOf } from './finding-id.js';
import { ImpliedPolicies } from './implied-policies.js';
import { policyFindings, redundancyFindings, unusedPostureChecks } from './policy-findings.js';
import { unreachedServices, unroutedIdentities } from './reach-findings.js';
import { violations } from '../rules/rule-violations.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';

/** Facts for findings that are not in the policies. */
export interface FindingFacts {
  readonly hasTerminators: (serviceId: string) => boolean;
  /** Authorities that are in use without verification, with the number of uses. */
  readonly unverifiedAuthorities: readonly { readonly id: string; readonly uses: number }[];
  /** The ids of identities. */
  readonly adminsWithoutSecondFactor: readonly string[];
  /** Uses of access offers for emergencies that nobody has reviewed. */
  readonly emergencyUses: readonly EmergencyUse[];
  /** The role attributes that assignments give identities in a week. */
  readonly comingAttributes: readonly ComingAttributes[];
  /** The service policies that begin or end within a week. */
  readonly comingPolicies: readonly ComingInAWeek[];
  /** The identities whose time is over within a week. */
  readonly endingIdentities: readonly EndingIdentity[];
  readonly accessRules: readonly AccessRule[];
  readonly isSystem: IsSystem;
}

export const NO_FINDING_FACTS: FindingFacts = {
  hasTerminators: () => false,
  unverifiedAuthorities: [],
  adminsWithoutSecondFactor: [],
  emergencyUses: [],
  comingAttributes: [],
  comingPolicies: [],
  endingIdentities: [],
  accessRules: [],
  isSystem: () => false,
};

/** Gives the findings of a network, restricted to some kinds when given. */
export function* findings(
  model: AccessModel,
  facts: FindingFacts,
  kinds?: readonly FindingKind[],
): Sliced<FoundFinding[]> {
  const results: FoundFinding[] = [];
  const implied = new ImpliedPolicies(model, facts.isSystem);
  const isRequested = (kind: FindingKind): boolean => kinds?.includes(kind) !== false;
  for (const [finderKinds, find] of FINDERS) {
    if (!finderKinds.some(isRequested)) continue;
    for (const finding of yield* find(model, facts, implied)) {
      if (isRequested(finding.kind)) results.push(withoutRefused(finding, facts));
    }
    yield;
  }
  return results.sort(compareFindings);
}

/** Removes changes that the controller would refuse. */
const withoutRefused = (finding: FoundFinding, { isSystem }: FindingFacts): FoundFinding =>
  finding.changes.some(({ kind, id }) => isSystem(kind, id))
    ? { ...finding, changes: [] }
    : finding;

type Finder = (
  model: AccessModel,
  facts: FindingFacts,
  implied: ImpliedPolicies,
) => Sliced<FoundFinding[]>;

const FINDERS: readonly (readonly [readonly FindingKind[], Finder])[] = [
  [['ACCESS_RULE_VIOLATED'], (model, { accessRules }) => violatedRules(model, accessRules)],
  [
    ['BREAK_GLASS_USED', 'UNVERIFIED_AUTHORITY', 'ADMIN_WITHOUT_SECOND_FACTOR'],
    (_, facts) => atOnce(givenFindings(facts)),
  ],
  [
    [
      'ROLE_MATCHES_NOTHING',
      'POLICY_GRANTS_NOTHING',
      'OVERBROAD_POLICY',
      'DUPLICATE_POLICY',
      'SHADOWED_POLICY',
    ],
    (model, _, implied) => policyFindings(model, implied),
  ],
  [
    ['POLICY_REDUNDANT_TODAY', 'POLICY_COVERED_TODAY'],
    (model, { isSystem }, implied) => redundancyFindings(model, isSystem, implied),
  ],
  [
    ['ACCESS_RULE_MATCHES_NOTHING'],
    (model, { accessRules }) => rulesWithoutPairs(model, accessRules),
  ],
  [['UNUSED_POSTURE_CHECK'], (model) => atOnce(unusedPostureChecks(model))],
  [
    ['SERVICE_NOBODY_DIALS', 'SERVICE_NOBODY_HOSTS'],
    (model, { hasTerminators }) => unreachedServices(model, hasTerminators),
  ],
  [['IDENTITY_WITHOUT_ROUTER'], unroutedIdentities],
  [['ACCESS_ENDS_SOON'], (model, { comingAttributes }) => endingAccess(model, comingAttributes)],
  [['ACCESS_ENDS_SOON'], (model, facts) => endingIdentities(model, facts.endingIdentities)],
  [['ACCESS_ENDS_SOON'], (model, { comingPolicies }) => endingPolicies(model, comingPolicies)],
  [['ATTRIBUTE_USED_ONCE', 'NEAR_DUPLICATE_ATTRIBUTE'], attributeFindings],
];

function* atOnce<T>(value: T): Sliced<T> {
  yield;
  return value;
}

function* violatedRules(model: AccessModel, rules: readonly AccessRule[]): Sliced<FoundFinding[]> {
  const kinds = new Map(rules.map(({ id, kind }) => [id, kind]));
  return (yield* violations(model, rules)).map(({ ruleId, identityId, serviceId, type }) => {
    const ability = kinds.get(ruleId) === 'MUST_REACH' ? 'can not' : 'can';
    return {
      kind: 'ACCESS_RULE_VIOLATED',
      severity: 'HIGH',
      entities: [
        { kind: 'accessRule', id: ruleId },
        { kind: 'identity', id: identityId },
        { kind: 'service', id: serviceId },
      ],
      entityCount: 3,
      text: `The access rule ${ruleId} does not hold: the identity ${identityId} ${ability} ${type.toLowerCase()} the service ${serviceId}.`,
      changes: [],
    };
  });
}

/** A rule without a pair of an identity and a service says nothing. */
function* rulesWithoutPairs(
  model: AccessModel,
  rules: readonly AccessRule[],
): Sliced<FoundFinding[]> {
  const results: FoundFinding[] = [];
  yield* eachSliced(rules, 16, (rule) => {
    const sides = new RuleSides(model, rule);
    const emptySides = (['identities', 'services'] as const).filter((side) =>
      sides[side].isEmpty(),
    );
    if (emptySides.length === 0) return;
    const roles = emptySides.map((side) => `its ${SIDE_NAMES[side]}`).join(' and ');
    results.push({
      kind: 'ACCESS_RULE_MATCHES_NOTHING',
      severity: 'MEDIUM',
      entities: [{ kind: 'accessRule', id: rule.id }],
      entityCount: 1,
      text: `The access rule ${rule.id} says nothing: ${roles} match nothing.`,
      changes: [],
    });
  });
  return results;
}

function givenFindings({
  unverifiedAuthorities,
  adminsWithoutSecondFactor,
  emergencyUses,
}: FindingFacts): FoundFinding[] {
  return [
    ...emergencyUses.map(({ id, identityId, offerName, roleAttribute }): FoundFinding => ({
      kind: 'BREAK_GLASS_USED',
      severity: 'HIGH',
      entities: [{ kind: 'identity', id: identityId }],
      entityCount: 1,
      about: id,
      text: `The identity ${identityId} has given itself the role attribute ${JSON.stringify(roleAttribute)} by the offer for emergencies ${JSON.stringify(offerName)}. Review the request ${id} (reviewAccessRequest).`,
      changes: [],
    })),
    ...unverifiedAuthorities.map(({ id, uses }): FoundFinding => ({
      kind: 'UNVERIFIED_AUTHORITY',
      severity: 'HIGH',
      entities: [{ kind: 'authority', id }],
      entityCount: 1,
      text: `The authority ${id} is in use (${uses}) without being verified: its certificates neither enroll nor log in. Verify it (verifyCertificateAuthority), or delete what names it.`,
      changes: [],
    })),
    ...adminsWithoutSecondFactor.map((id): FoundFinding => ({
      kind: 'ADMIN_WITHOUT_SECOND_FACTOR',
      severity: 'HIGH',
      entities: [{ kind: 'identity', id }],
      entityCount: 1,
      text: `The identity ${id} is an administrator without a second factor.`,
      changes: [],
    })),
  ];
}

/** Gives the findings that a change adds and removes, from the findings before and after it. */
export function findingsDiff(
  before: readonly FoundFinding[],
  after: readonly FoundFinding[],
): { readonly appeared: FoundFinding[]; readonly vanished: FoundFinding[] } {
  const subjectsBefore = new Set(before.map(subjectOf));
  const subjectsAfter = new Set(after.map(subjectOf));
  return {
    appeared: after.filter((finding) => !subjectsBefore.has(subjectOf(finding))),
    vanished: before.filter((finding) => !subjectsAfter.has(subjectOf(finding))),
  };
}

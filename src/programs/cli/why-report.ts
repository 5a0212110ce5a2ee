import type {
  AccessType,
  Matched,
  Missing,
  RouterOfAccess,
  WhyResult,
} from '../emitted/operations.js';
import type { Named } from './named.js';
import { counted, plain, quoted } from './plain.js';
import { tree, type Branch } from './tree.js';

/** An answer about access as a tree. */

type Access = NonNullable<WhyResult['access']>;
type Verdict = NonNullable<Access['paths'][number]['postureChecks']>[number]['verdicts'][number];

export interface Explained extends Access {
  readonly identity: Named;
  readonly service: Named;
  readonly type: AccessType;
}

/** The subject of the answer: access at this moment, or access by the policies only. */
export type Sense = 'now' | 'by the policies';

export function whyReport(explained: Explained, sense: Sense): string {
  const { identity, service, type, allowed, obstacles } = explained;
  const verb = type.toLowerCase();
  const pair = `${verb} ${quoted(service.name)}`;
  const name = quoted(identity.name);
  const text = allowed
    ? `${name} may ${pair}${verdict(obstacles, sense)}`
    : `${name} may not ${pair}`;
  return tree({
    text,
    below: [
      policies(explained),
      routers(explained),
      ...(obstacles.length > 0 ? [inTheWay(obstacles), misses(explained)] : []),
    ],
  });
}

function verdict(obstacles: Access['obstacles'], sense: Sense): string {
  if (obstacles.length > 0) return `, but can not ${sense}`;
  return sense === 'now' ? ', and can' : ` ${sense}`;
}

const some = (text: string, below: readonly Branch[]): Branch =>
  below.length === 0 ? { text: `${text}: none` } : { text, below };

const policies = (explained: Explained): Branch =>
  some(
    'policies that grant it',
    explained.paths.map(({ policy, semantic, identityRoles, serviceRoles, postureChecks }) => ({
      text: `${policyText(policy)} (${semantic})`,
      below: [
        {
          text: `identity by ${roles(identityRoles, explained.identity)}`,
          below: assignments(explained, identityRoles),
        },
        { text: `service by ${roles(serviceRoles, explained.service)}` },
        ...(postureChecks ?? []).map((check) => ({
          text: `posture check ${quoted(check.name)} (${check.typeId})`,
          below: verdicts(check.verdicts),
        })),
      ],
    })),
  );

const policyText = (policy: Named | null): string =>
  policy ? quoted(policy.name) : 'a deleted policy';

/** The role assignments that give the identity attributes of these roles. */
const assignments = (explained: Explained, matched: readonly Matched[]): readonly Branch[] =>
  explained.assignments
    .filter(({ roleAttribute }) => matched.some(({ role }) => role === `#${roleAttribute}`))
    .map((assignment) => ({ text: assignmentText(assignment) }));

function assignmentText(assignment: Access['assignments'][number]): string {
  const { roleAttribute, source, activeUntil, reason, requestedBy, approvedBy } = assignment;
  return [
    `#${plain(roleAttribute)} is assigned ${activeUntil ? `until ${activeUntil}` : 'without end'}`,
    source === 'hand' ? '' : ` by ${quoted(source)}`,
    requestedBy ? `, asked for by ${quoted(requestedBy.name)}` : '',
    approvedBy ? `, approved by ${quoted(approvedBy.name)}` : '',
    reason ? `: ${plain(reason)}` : '',
  ].join('');
}

/** Roles that name the entity itself do so by its id. */
const roles = (matched: readonly Matched[], entity: Named): string =>
  matched.map(({ role }) => roleText(role, entity)).join(', ');

export const roleText = (role: string, { id, name }: Named): string =>
  role === `@${id}` ? `@${plain(name)}` : plain(role);

function verdicts(all: readonly Verdict[]): Branch[] {
  if (all.length === 0) return [{ text: 'not judged: there is no live API session' }];
  return all.map(({ apiSessionId, isPassing, failure }) => {
    const found = failure
      ? `: found ${json(failure.actualValue)}, wanted ${json(failure.expectedValue)}`
      : '';
    return { text: `${isPassing ? 'passes' : 'fails'} in API session ${apiSessionId}${found}` };
  });
}

const json = (value: unknown): string => plain(JSON.stringify(value ?? null));

function routers({ routers: { identitySide, serviceSide, common } }: Explained): Branch {
  const by =
    (policiesOf: (router: RouterOfAccess) => readonly Named[]) => (router: RouterOfAccess) => ({
      text: `${routerText(router)}, by ${policiesOf(router)
        .map(({ name }) => quoted(name))
        .join(', ')}`,
    });
  return {
    text: 'edge routers',
    below: [
      some('of the identity', identitySide.map(by(({ edgeRouterPolicies }) => edgeRouterPolicies))),
      some(
        'of the service',
        serviceSide.map(by(({ serviceEdgeRouterPolicies }) => serviceEdgeRouterPolicies)),
      ),
      some(
        'of both',
        common.map((router) => ({ text: routerText(router) })),
      ),
    ],
  };
}

function routerText({ name, isOnline, isDisabled }: RouterOfAccess): string {
  if (isOnline === undefined) return quoted(name);
  const state = isOnline ? 'online' : 'offline';
  return `${quoted(name)} (${isDisabled ? 'disabled' : state})`;
}

const MEANING: Readonly<Record<Access['obstacles'][number], string>> = {
  NO_POLICY: 'no policy grants it',
  POSTURE: 'in no API session do all checks of a policy pass',
  NO_COMMON_ROUTER: 'the identity and the service have no edge router in common',
  NONE_ONLINE: 'no common edge router is online',
  IDENTITY_DISABLED: 'the identity is disabled',
  IDENTITY_PENDING: 'the identity waits for its approval',
  NO_TERMINATORS: 'the service has no terminator',
};

const inTheWay = (obstacles: Access['obstacles']): Branch => ({
  text: 'in the way',
  below: obstacles.map((obstacle) => ({ text: `${obstacle}: ${MEANING[obstacle]}` })),
});

function misses(explained: Explained): Branch {
  const { nodes, totalCount } = explained.nearestMisses;
  const shown = `${String(nodes.length)} of ${String(totalCount)}`;
  return some(
    nodes.length < totalCount ? `nearest misses, ${shown}` : 'nearest misses',
    nodes.map(({ policy, semantic, changes, isInForce, identitySide, serviceSide }) => ({
      text: `${policyText(policy)} (${semantic}), ${counted(changes, 'addition')}`,
      below: [
        ...(isInForce ? [] : [{ text: outOfTimes(policy?.nextChangeAt) }]),
        ...remedies('identity', identitySide, explained.identity),
        ...remedies('service', serviceSide, explained.service),
      ],
    })),
  );
}

const outOfTimes = (beginsAt: string | null | undefined): string =>
  beginsAt ? `it is not in force until ${beginsAt}` : 'it is not in force';

const MAX_REMEDIES = 3;

function remedies(side: string, missing: Missing | null, entity: Named): Branch[] {
  if (!missing) return [];
  const shown = missing.remedies
    .slice(0, MAX_REMEDIES)
    .map(({ attributes, role }) =>
      attributes
        ? `give the ${side} ${attributes.map((name) => `#${plain(name)}`).join(' and ')}`
        : `add ${roleText(role ?? '', entity)} to the ${side} roles`,
    );
  const more = missing.remedies.length - shown.length;
  const others = more > 0 ? `, or ${counted(more, 'other way')}` : '';
  return [{ text: `${shown.join(', or ')}${others}` }];
}

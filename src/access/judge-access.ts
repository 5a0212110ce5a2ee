import type { PolicyIndex, ServicePolicyType } from '../policy/index.js';
import {
  evaluateAccess,
  judgeFor,
  subjectIn,
  type Access,
  type LinkingPolicy,
  type PostureChecks,
  type PostureStore,
} from '../posture/index.js';

/** Who would use which service how, by way of which API session. */
export interface AccessQuestion {
  readonly identityId: string;
  readonly apiSessionId: string;
  readonly serviceId: string;
  readonly type: ServicePolicyType;
}

export interface JudgeParts {
  readonly index: Pick<PolicyIndex, 'linkingPolicies'>;
  readonly checks: Pick<PostureChecks, 'guards'>;
  readonly posture: PostureStore;
}

const PASSES: Access = { isPassing: true, failures: [] };

/**
 * Whether posture lets each of these in, in their order; undefined where no policy does. What is
 * known of their identities is read at once, and only where some check stands in every way.
 */
export async function judgeAccess(
  { index, checks, posture }: JudgeParts,
  questions: readonly AccessQuestion[],
  now: number,
): Promise<(Access | undefined)[]> {
  const guardOf = checks.guards();
  const guards = questions.map(({ identityId, serviceId, type }) =>
    index.linkingPolicies(identityId, serviceId, type).map(guardOf),
  );
  const asked = questions.filter((_, i) => isAsked(guards[i] ?? []));
  const ids = [...new Set(asked.map(({ identityId }) => identityId))];
  const known = new Map((await posture.ofAll(ids)).map((found, i) => [ids[i], found]));
  return questions.map(({ identityId, apiSessionId, type }, i) => {
    const policies = guards[i] ?? [];
    if (policies.length === 0) return undefined;
    const found = known.get(identityId);
    if (!found || !isAsked(policies)) return PASSES;
    return evaluateAccess(policies, type, judgeFor(subjectIn(found, apiSessionId), now));
  });
}

const isAsked = (policies: readonly LinkingPolicy[]): boolean =>
  policies.length > 0 && policies.every(({ checks }) => checks.length > 0);

import type { Judge } from './evaluate-check.js';
import { postureTypeOf, type PostureCheckTypeId } from './posture-types.js';
import type { PostureCheckSpec, QueryValues, Verdict } from './declared-values.js';
import type { CheckFailure, PolicyFailure } from './posture-failure.js';

/** A check with what views of it show. */
export type PostureCheckRecord = PostureCheckSpec & {
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A service policy that links an identity and a service. */
export interface LinkingPolicy {
  readonly id: string;
  readonly name: string;
  readonly type: 'Dial' | 'Bind';
  readonly checks: readonly PostureCheckRecord[];
}

/** A question to a client with its verdict (schema `postureQuery`, without links and tags). */
export type PostureQueryView = QueryValues & {
  readonly id: string;
  readonly queryType: PostureCheckTypeId;
  readonly isPassing: boolean;
  readonly timeout: number;
  readonly timeoutRemaining: number;
  readonly timeoutAt?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export interface PostureQuerySetView {
  readonly policyId: string;
  readonly policyType: LinkingPolicy['type'];
  readonly isPassing: boolean;
  readonly postureQueries: readonly PostureQueryView[];
}

const isoOf = (at: number): string => new Date(at).toISOString();

/** `updatedAt` follows the events after which MFA is asked for: clients look again when it moves. */
function postureQuery(check: PostureCheckRecord, verdict: Verdict): PostureQueryView {
  const { isPassing, timeout, timeoutRemaining, timeoutAt, lastPromptAt } = verdict;
  return {
    id: check.id,
    queryType: check.typeId,
    isPassing,
    timeout,
    timeoutRemaining,
    ...(timeoutAt !== undefined && { timeoutAt: isoOf(timeoutAt) }),
    ...postureTypeOf(check.typeId)?.query?.values(check),
    createdAt: check.createdAt.toISOString(),
    updatedAt: isoOf(Math.max(check.updatedAt.getTime(), lastPromptAt ?? -Infinity)),
  };
}

/** The view that clients have of each policy, in the order given; one without checks passes. */
export const postureQuerySets = (
  policies: readonly LinkingPolicy[],
  judge: Judge,
): PostureQuerySetView[] =>
  policies.map(({ id, type, checks }) => {
    const postureQueries = checks.map((check) => postureQuery(check, judge(check)));
    const isPassing = postureQueries.every((query) => query.isPassing);
    return { policyId: id, policyType: type, isPassing, postureQueries };
  });

export interface Access {
  readonly isPassing: boolean;
  /** The policies of the type, with the checks that failed; empty when access passes. */
  readonly failures: readonly PolicyFailure[];
  /** The first instant at which access ends if nothing happens but time. */
  readonly nextChangeAt?: number;
}

const failureOf = ({ id, name, typeId }: PostureCheckRecord, verdict: Verdict): CheckFailure[] =>
  verdict.failure
    ? [{ postureCheckId: id, postureCheckName: name, postureCheckType: typeId, ...verdict.failure }]
    : [];

/** When a passing policy fails: with the first of its checks. */
const endOf = (policy: LinkingPolicy, judge: Judge): number =>
  Math.min(...policy.checks.map((check) => judge(check).nextChangeAt ?? Infinity));

/**
 * Whether one may dial or bind: every check of at least one policy of that type passes. Where no
 * policy of the type exists, access passes.
 */
export function evaluateAccess(
  policies: readonly LinkingPolicy[],
  type: LinkingPolicy['type'],
  judge: Judge,
): Access {
  const ofType = policies.filter((policy) => policy.type === type);
  if (ofType.length === 0) return { isPassing: true, failures: [] };
  const passing = ofType.filter(({ checks }) => checks.every((check) => judge(check).isPassing));
  if (passing.length === 0) {
    const failures = ofType.map(({ id, name, checks }) => ({
      policyId: id,
      policyName: name,
      checks: checks.flatMap((check) => failureOf(check, judge(check))),
    }));
    return { isPassing: false, failures };
  }
  // Time only ever fails a check, so access lasts as long as the policy that lasts longest.
  const until = Math.max(...passing.map((policy) => endOf(policy, judge)));
  return { isPassing: true, failures: [], ...(until !== Infinity && { nextChangeAt: until }) };
}

export interface FailedCheck {
  readonly id: string;
  readonly typeId: PostureCheckTypeId;
  readonly isPassing: false;
}

/** The failed checks by policy, for a refused client (`error.cause.data` of 409 `INVALID_POSTURE`). */
export const postureCauseData = (
  failures: readonly PolicyFailure[],
): Record<string, readonly FailedCheck[]> =>
  Object.fromEntries(
    failures.map(({ policyId, checks }) => [
      policyId,
      checks.map(({ postureCheckId, postureCheckType }) => ({
        id: postureCheckId,
        typeId: postureCheckType,
        isPassing: false,
      })),
    ]),
  );

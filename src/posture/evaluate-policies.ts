import type { Judge } from './evaluate-check.js';
import type { OsType, PostureCheckTypeId } from './posture-check-types.js';
import type { FailureValues, PostureCheckSpec, Verdict } from './verdict.js';

/** A check with what is told of it. */
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

export interface QueriedProcess {
  readonly osType: OsType;
  readonly path: string;
}

/** What a client is asked for, and how it stands (schema `postureQuery`, links and tags apart). */
export interface PostureQueryView {
  readonly id: string;
  readonly queryType: PostureCheckTypeId;
  readonly isPassing: boolean;
  readonly timeout: number;
  readonly timeoutRemaining: number;
  readonly timeoutAt?: string;
  readonly process?: QueriedProcess;
  readonly processes?: readonly QueriedProcess[];
  readonly promptOnWake?: boolean;
  readonly promptOnUnlock?: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface PostureQuerySetView {
  readonly policyId: string;
  readonly policyType: LinkingPolicy['type'];
  readonly isPassing: boolean;
  readonly postureQueries: readonly PostureQueryView[];
}

const isoOf = (at: number): string => new Date(at).toISOString();

const queried = ({ osType, path }: QueriedProcess): QueriedProcess => ({ osType, path });

function askedFor(check: PostureCheckSpec): Partial<PostureQueryView> {
  const { typeId, process, processes, promptOnWake, promptOnUnlock } = check;
  if (typeId === 'PROCESS' && process) return { process: queried(process) };
  if (typeId === 'PROCESS_MULTI' && processes) return { processes: processes.map(queried) };
  if (typeId !== 'MFA') return {};
  return { promptOnWake: promptOnWake ?? false, promptOnUnlock: promptOnUnlock ?? false };
}

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
    ...askedFor(check),
    createdAt: check.createdAt.toISOString(),
    updatedAt: isoOf(Math.max(check.updatedAt.getTime(), lastPromptAt ?? -Infinity)),
  };
}

/** What clients see of each policy, in the order given; one without checks passes. */
export const postureQuerySets = (
  policies: readonly LinkingPolicy[],
  judge: Judge,
): PostureQuerySetView[] =>
  policies.map(({ id, type, checks }) => {
    const postureQueries = checks.map((check) => postureQuery(check, judge(check)));
    const isPassing = postureQueries.every((query) => query.isPassing);
    return { policyId: id, policyType: type, isPassing, postureQueries };
  });

/** A check that failed (schemas `postureCheckFailure*`). */
export type CheckFailure = {
  readonly postureCheckId: string;
  readonly postureCheckName: string;
  readonly postureCheckType: PostureCheckTypeId;
} & FailureValues;

export interface PolicyFailure {
  readonly policyId: string;
  readonly policyName: string;
  readonly checks: readonly CheckFailure[];
}

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
 * policy of the type is known, posture has nothing against it.
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

/** What a refused client learns (`error.cause.data` of 409 `INVALID_POSTURE`), by policy. */
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

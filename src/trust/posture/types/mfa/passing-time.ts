import type { Origin, Store } from '../../../../kernel/request/store-port.js';
import type { PolicyIndex } from '../../../../kernel/policy/index.js';
import { sessionPosture, type JudgedSession } from '../../../../data/rows/posture/index.js';
import { evaluateCheck } from '../../evaluate-check.js';
import { isMfaCheck } from './mfa-check.js';
import { noteTimeouts, PROMPT_GRACE_SECONDS } from './mfa-rule.js';
import type { PostureCheckRecord } from '../../evaluate-policies.js';
import type { PostureChecks } from '../../posture-checks.js';
import type { PostureStore } from '../../posture-store.js';

/** How far back the first look goes: the controller that looked before may be gone for a while. */
const FIRST_LOOK_MILLIS = 3_600_000;

interface PassingTimeDependencies {
  readonly store: Store;
  readonly index: PolicyIndex;
  readonly checks: PostureChecks;
  readonly posture: PostureStore;
}

/** Notices what passing of time alone does to posture: MFA that is too old, graces that are over. */
export class PassingTime {
  #lookedAt: number | undefined;

  constructor(private readonly dependencies: PassingTimeDependencies) {}

  /** Looks at the time since it last did. Several controllers may do so: each end is noted once. */
  async look(origin: Origin): Promise<void> {
    const now = origin.at.getTime();
    const since = Math.min(this.#lookedAt ?? now - FIRST_LOOK_MILLIS, now);
    for (const candidate of await this.#candidates(since, now)) {
      const ended = await this.#ended(candidate, now);
      if (ended.length > 0) await this.#note(origin, candidate, ended);
    }
    this.#lookedAt = now;
  }

  /** API sessions for which some span of MFA ended in between. */
  async #candidates(since: number, now: number): Promise<JudgedSession[]> {
    const checks = [...this.dependencies.checks.all()].filter(isMfaCheck);
    if (checks.length === 0) return [];
    const spans = [...new Set(checks.map(({ timeoutSeconds }) => timeoutSeconds ?? -1))];
    const timeouts = spans.filter((span) => span >= 0);
    return sessionPosture.withEndedMfa(
      this.dependencies.store,
      { since, until: now },
      { timeouts, grace: PROMPT_GRACE_SECONDS },
    );
  }

  /** The checks in the way of the identity that passed when it was last judged and fail by now. */
  async #ended(
    { identityId, apiSessionId, judgedAt }: JudgedSession,
    now: number,
  ): Promise<PostureCheckRecord[]> {
    const subject = await this.dependencies.posture.subject(identityId, apiSessionId);
    const guardOf = this.dependencies.checks.guards();
    const policies = this.dependencies.index.policiesOf('servicePolicy', 'identities', identityId);
    const checks = new Set(policies.flatMap((policy) => guardOf(policy).checks));
    return [...checks].filter((check) => {
      const { nextChangeAt } = evaluateCheck(check, subject, judgedAt.getTime());
      return nextChangeAt !== undefined && nextChangeAt <= now;
    });
  }

  async #note(
    origin: Origin,
    { judgedAt, ...owner }: JudgedSession,
    ended: readonly PostureCheckRecord[],
  ): Promise<void> {
    const now = origin.at.getTime();
    await this.dependencies.store.write(origin, (tx) =>
      this.dependencies.posture.judgeAgain(tx, owner, judgedAt, (session) =>
        noteTimeouts(session, ended, now),
      ),
    );
  }
}

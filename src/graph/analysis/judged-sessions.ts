import type { JudgedSessions, PolicyChecks } from '../../access/analysis/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { PendingChange } from '../../kernel/request/store-port.js';
import { passesCheck, type PostureSubject } from '../../trust/posture/index.js';

/** The number of identities whose posture one statement reads. */
const BATCH = 10_000;

/** An API session of an identity, with what its device told. */
interface Session extends PostureSubject {
  readonly identityId: string;
}

/**
 * Reads the API sessions of the identities that policies with posture checks select. Their verdicts
 * are those of this moment, also on the checks as changes would leave them.
 */
export async function judgedSessions(
  ctx: RequestContext,
  policies: PolicyChecks,
  changes: readonly PendingChange[],
): Promise<JudgedSessions> {
  const { postureChecks } = ctx.modules;
  const sessions = policies.isEmpty ? [] : await sessionsUnder(ctx, policies);
  const checks = { before: postureChecks.byId(), after: postureChecks.byId(changes) };
  const now = ctx.now().getTime();
  return {
    identityIds: sessions.map(({ identityId }) => identityId),
    verdictsOf: (checkId, state) => {
      const check = checks[state].get(checkId);
      return (position) => {
        const session = sessions[position];
        // A check that is not there is in nobody's way.
        return !check || (session !== undefined && passesCheck(check, session, now));
      };
    },
  };
}

async function sessionsUnder(ctx: RequestContext, policies: PolicyChecks): Promise<Session[]> {
  const { posture } = ctx.modules;
  const ids = (await posture.identitiesWithSessions()).filter((id) => policies.selects(id));
  const all: Session[] = [];
  for (let from = 0; from < ids.length; from += BATCH) {
    const batch = ids.slice(from, from + BATCH);
    for (const [i, { data, sessions }] of (await posture.ofAll(batch)).entries()) {
      const identityId = batch[i] ?? '';
      for (const session of sessions.values()) all.push({ identityId, data, session });
    }
  }
  return all;
}

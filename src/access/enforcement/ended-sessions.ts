import type { AccessModel } from '../analysis/index.js';
import type { ServiceSession } from '../../data/rows/session/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Change } from '../../kernel/request/store-port.js';
import { sessionsWithoutAccess } from './enforce-access.js';
import { judgeIn } from './judge-access.js';

/** The service sessions that the changes would end: the model no longer allows them. */
export async function endedSessions(
  ctx: RequestContext,
  model: AccessModel,
  changes: readonly Pick<Change, 'resource' | 'id' | 'after'>[],
): Promise<ServiceSession[]> {
  const { postureChecks: checks, posture } = ctx.modules;
  const dependencies = { ...judgeIn(model, changes, { checks, posture }), store: ctx.store };
  const ended: ServiceSession[] = [];
  for await (const page of sessionsWithoutAccess(dependencies, () => ctx.now().getTime())) {
    ended.push(...page.ended);
  }
  return ended;
}

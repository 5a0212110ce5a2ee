import type { AccessModel } from '../analysis/index.js';
import type { ServiceSession } from '../../data/rows/session/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Change } from '../../kernel/request/store-port.js';
import { sessionsWithoutAccess } from './enforce-access.js';
import { judgeIn } from './judge-access.js';
import { narrowedBetween } from './narrowed-posture.js';

/** The network before and after changes. */
interface Models {
  readonly before: AccessModel;
  readonly after: AccessModel;
}

/** The service sessions that the changes would end: the model no longer allows them. */
export async function endedSessions(
  ctx: RequestContext,
  { before, after }: Models,
  changes: readonly Pick<Change, 'resource' | 'id' | 'after'>[],
): Promise<ServiceSession[]> {
  const { postureChecks: checks, posture } = ctx.modules;
  const judge = judgeIn(after, changes, { checks, posture });
  const isNarrowed = narrowedBetween(judgeIn(before, [], { checks, posture }), judge);
  const dependencies = { ...judge, store: ctx.store };
  const ended: ServiceSession[] = [];
  for await (const page of sessionsWithoutAccess(dependencies, () => ctx.now().getTime())) {
    ended.push(...page.ended, ...page.unfit.filter(isNarrowed));
  }
  return ended;
}

import { grantingPaths, type AccessModel } from '../analysis/index.js';
import type { ServiceSession } from '../../data/rows/session/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Change } from '../../kernel/request/store-port.js';
import { Bitset, type PolicyIndex } from '../../kernel/policy/index.js';
import type { CheckedModel } from '../../trust/posture/index.js';
import { sessionsWithoutAccess } from './enforce-access.js';

/** The service sessions that the changes would end: the model no longer allows them. */
export async function endedSessions(
  ctx: RequestContext,
  model: AccessModel,
  changes: readonly Pick<Change, 'resource' | 'id' | 'after'>[],
): Promise<ServiceSession[]> {
  const checks = ctx.modules.postureChecks.after(changes, checkedModel(model));
  const dependencies = {
    index: { linkingPolicies: linkingPolicies(model) },
    checks,
    posture: ctx.modules.posture,
    store: ctx.store,
  };
  const ended: ServiceSession[] = [];
  for await (const page of sessionsWithoutAccess(dependencies, () => ctx.now().getTime())) {
    ended.push(...page);
  }
  return ended;
}

const linkingPolicies =
  (model: AccessModel): PolicyIndex['linkingPolicies'] =>
  (identityId, serviceId, type = 'Dial') =>
    grantingPaths(model, identityId, serviceId, type)
      .map(({ policyId }) => model.policy('servicePolicy', policyId))
      .filter((policy) => policy !== undefined);

const checkedModel = (model: AccessModel): CheckedModel => ({
  idsOf: (kind, ordinals) => model.idsOf(kind, ordinals),
  members: (kind, id, side) => {
    const policy = model.policy(kind, id);
    const roles = policy?.sides[side];
    if (!policy || !roles) return new Bitset();
    return model.union('postureCheck', [{ roles, semantic: policy.semantic }]);
  },
});

import { grantingPaths, type AccessModel } from '../analysis/index.js';
import { Bitset, type PolicyIndex, type ServicePolicyType } from '../../kernel/policy/index.js';
import type { Change } from '../../kernel/request/store-port.js';
import {
  evaluateAccess,
  judgeFor,
  subjectIn,
  type Access,
  type CheckedModel,
  type LinkingPolicy,
  type PostureChecks,
  type PostureStore,
} from '../../trust/posture/index.js';

/** A use of a service: by which identity, with which API session, to dial or to bind. */
export interface AccessQuestion {
  readonly identityId: string;
  readonly apiSessionId: string;
  readonly serviceId: string;
  readonly type: ServicePolicyType;
}

export interface JudgeDependencies {
  readonly index: Pick<PolicyIndex, 'linkingPolicies'>;
  readonly checks: Pick<PostureChecks, 'guards'>;
  readonly posture: PostureStore;
}

const PASSES: Access = { isPassing: true, failures: [] };

/**
 * Gives for each question whether posture allows the access; undefined if no policy grants it. It
 * reads the posture data of all identities at once, and only if every granting policy has checks.
 */
export async function judgeAccess(
  { index, checks, posture }: JudgeDependencies,
  questions: readonly AccessQuestion[],
  now: number,
): Promise<(Access | undefined)[]> {
  const guardOf = checks.guards();
  const guards = questions.map(({ identityId, serviceId, type }) =>
    index.linkingPolicies(identityId, serviceId, type).map(guardOf),
  );
  const questionsWithChecks = questions.filter((_, i) => hasOnlyCheckedPolicies(guards[i] ?? []));
  const ids = [...new Set(questionsWithChecks.map(({ identityId }) => identityId))];
  const postureByIdentity = new Map((await posture.ofAll(ids)).map((data, i) => [ids[i], data]));
  return questions.map(({ identityId, apiSessionId, type }, i) => {
    const policies = guards[i] ?? [];
    if (policies.length === 0) return undefined;
    const postureData = postureByIdentity.get(identityId);
    if (!postureData || !hasOnlyCheckedPolicies(policies)) return PASSES;
    return evaluateAccess(policies, type, judgeFor(subjectIn(postureData, apiSessionId), now));
  });
}

const hasOnlyCheckedPolicies = (policies: readonly LinkingPolicy[]): boolean =>
  policies.length > 0 && policies.every(({ checks }) => checks.length > 0);

/** Makes the dependencies to judge access in a model, with changes of posture checks that the memory may lack. */
export const judgeIn = (
  model: AccessModel,
  changes: readonly Pick<Change, 'resource' | 'id' | 'after'>[],
  { checks, posture }: { readonly checks: PostureChecks; readonly posture: PostureStore },
): JudgeDependencies => ({
  index: { linkingPolicies: linkingPolicies(model) },
  checks: checks.after(changes, checkedModel(model)),
  posture,
});

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

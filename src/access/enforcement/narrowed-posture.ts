import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../kernel/request/store-port.js';
import type { PolicyIndex } from '../../kernel/policy/index.js';
import {
  checkAttributes,
  type LinkingPolicy,
  type PostureChecks,
  type PostureStore,
} from '../../trust/posture/index.js';
import { ModelOverlay, rowChangeOf } from '../analysis/index.js';
import { judgeIn, type AccessQuestion, type JudgeDependencies } from './judge-access.js';

type CheckedPolicies = Pick<JudgeDependencies, 'index' | 'checks'>;
type PostureCheck = LinkingPolicy['checks'][number];

/** Whether posture may have taken an access away, whatever its device has told routers. */
export type IsNarrowed = (use: AccessQuestion) => boolean;

export const NOT_NARROWED: IsNarrowed = () => false;

/**
 * A use is narrowed if a policy granted it before, and now none grants it that asks for nothing else. Routers of
 * version 2 judge posture at a dial and when the device tells something new, but not when policies or checks change.
 */
export function narrowedBetween(before: CheckedPolicies, after: CheckedPolicies): IsNarrowed {
  const granting = ({
    index,
    checks,
  }: CheckedPolicies): ((use: AccessQuestion) => LinkingPolicy[]) => {
    const guardOf = checks.guards();
    return ({ identityId, serviceId, type }) =>
      index.linkingPolicies(identityId, serviceId, type).map(guardOf);
  };
  const [earlier, later] = [granting(before), granting(after)];
  return (use) => {
    const policies = later(use);
    return earlier(use).some((policy) => !policies.some((each) => asksNothingElse(each, policy)));
  };
}

interface HeldPolicies {
  readonly index: PolicyIndex;
  readonly checks: PostureChecks;
  readonly posture: PostureStore;
}

/**
 * The same for changes that the index and the checks in memory have already. Most changes leave no use to ask
 * about, so the network before them is made for the first one.
 */
export function narrowedBy(changes: readonly Change[], held: HeldPolicies): IsNarrowed {
  let isNarrowed: IsNarrowed | undefined;
  return (use) => {
    isNarrowed ??= narrowedSince(changes, held);
    return isNarrowed(use);
  };
}

function narrowedSince(changes: readonly Change[], held: HeldPolicies): IsNarrowed {
  const model = new ModelOverlay(held.index);
  const undone = [...changes].reverse();
  for (const { resource, id, before } of undone) {
    const row = rowChangeOf({ resource, id, after: before });
    if (row) model.apply(row);
  }
  // An earlier state of a check counts only once the later one is gone.
  const states = undone.flatMap(({ resource, id, before }) => [
    { resource, id, after: null },
    { resource, id, after: before },
  ]);
  return narrowedBetween(judgeIn(model, states, held), held);
}

/** Whether each device that passes the checks of a policy passes those of another one. */
const asksNothingElse = (other: LinkingPolicy, policy: LinkingPolicy): boolean =>
  other.checks.every((check) => policy.checks.some((each) => isSameCondition(each, check)));

const isSameCondition = (a: PostureCheck, b: PostureCheck): boolean =>
  a.id === b.id && isDeepStrictEqual(conditionOf(a), conditionOf(b));

/** Rows of the log may lack what rows of the database have as null. */
const conditionOf = (check: PostureCheck): readonly unknown[] =>
  checkAttributes.map(({ name }) => (check as Partial<Record<string, unknown>>)[name] ?? null);

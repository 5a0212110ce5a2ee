import { Bitset } from '../../../kernel/policy/index.js';
import { rolesOn } from '../model/access-model.js';
import { postureChecksOf } from '../reasons/granting-paths.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import type { AccessMap } from './access-map.js';
import type { MapScope, MapState } from './map-scope.js';

/** The ids of the checks that a policy needs: the same list for policies with the same roles. */
export type CheckIds = readonly string[];

/** By the position of the policy. */
type Checked = ReadonlyMap<number, CheckIds>;

/** The service policies of a map that need posture checks. */
export class PolicyChecks {
  private constructor(
    readonly map: AccessMap,
    private readonly checked: Readonly<Record<MapState, Checked>>,
    /** The identities that the policies select, in at least one state. */
    private readonly identities: Bitset,
  ) {}

  static *of(map: AccessMap): Sliced<PolicyChecks> {
    const { scope } = map;
    const after = yield* checkedIn(scope, 'after');
    const before = scope.isPair ? yield* checkedIn(scope, 'before') : after;
    const identities = new Bitset();
    yield* eachSliced(scope.sidesOf('identity'), 8, ({ policy, positions }) => {
      if (!positions.some((position) => after.has(position) || before.has(position))) return;
      const members = scope.members('identity', policy);
      identities.or(members.before).or(members.after);
    });
    return new PolicyChecks(map, { before, after }, identities);
  }

  /** Whether they select no identity. */
  get isEmpty(): boolean {
    return this.identities.isEmpty();
  }

  selects(identityId: string): boolean {
    const ordinal = this.map.scope.ordinalOf('identity', identityId);
    return ordinal !== undefined && this.identities.has(ordinal);
  }

  /** The lists of the policies at these positions that need checks in a state, each list once. */
  listsOf(positions: readonly number[], state: MapState): CheckIds[] {
    const lists = positions.map((position) => this.checked[state].get(position));
    return [...new Set(lists.filter((list) => list !== undefined))];
  }
}

function* checkedIn(scope: MapScope, state: MapState): Sliced<Checked> {
  const checked = new Map<number, CheckIds>();
  const lists = new Map<string, CheckIds>();
  yield* eachSliced(scope.policies.entries(), 32, ([position, policy]) => {
    const inState = policy.kind === 'servicePolicy' ? policy[state] : undefined;
    if (!inState) return;
    const roles = JSON.stringify([inState.semantic, rolesOn(inState, 'postureChecks')]);
    const checkIds = lists.get(roles) ?? postureChecksOf(scope.states[state], inState);
    lists.set(roles, checkIds);
    if (checkIds.length > 0) checked.set(position, checkIds);
  });
  return checked;
}

import { compareBytes } from '../../../base/byte-order.js';
import { oneOf, type ValueOf } from '../../../kernel/declare/attribute.js';
import { Bitset, POLICY_KINDS } from '../../../kernel/policy/index.js';
import type {
  EntityKind,
  IndexedPolicy,
  MembershipSide,
  PolicyKind,
  ServicePolicyType,
  Side,
} from '../../../kernel/policy/index.js';
import { allOrdinals, membersOf, rolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import type { AccessQuery } from '../pairs/access-selection.js';
import type { ChangedRows } from '../model/changed-rows.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { RoleHolders } from './role-holders.js';

/** The kinds of entities of a map; posture checks are left out. */
export const MAP_KINDS = ['identity', 'service', 'edgeRouter'] as const satisfies EntityKind[];
export type MapKind = (typeof MAP_KINDS)[number];

/** The side of policies that selects entities of a kind. */
export const SIDE_OF = {
  identity: 'identities',
  service: 'services',
  edgeRouter: 'edgeRouters',
} as const satisfies Record<MapKind, Side>;
export type MapSide = (typeof SIDE_OF)[MapKind];
export const MAP_SIDE = oneOf<MapSide>(
  'AccessMapSide',
  {
    identities: 'The identities of a service policy or an edge router policy.',
    services: 'The services of a service policy or a service edge router policy.',
    edgeRouters: 'The routers of an edge router policy or a service edge router policy.',
  },
  'A side of a policy.',
);

/** The kinds of entities that policies join. */
export const KINDS_OF: Readonly<Record<PolicyKind, readonly MapKind[]>> = {
  servicePolicy: ['identity', 'service'],
  edgeRouterPolicy: ['identity', 'edgeRouter'],
  serviceEdgeRouterPolicy: ['service', 'edgeRouter'],
};

export const MAP_CHANGE = oneOf(
  'AccessMapChange',
  {
    KEPT: 'It is there before and after the changes.',
    GAINED: 'It is there only after the changes.',
    LOST: 'It is there only before the changes.',
  },
  'The effect of simulated changes on a part of the map.',
);
export type MapChange = ValueOf<typeof MAP_CHANGE>;

/** Two states of a network with equal ordinals. For a map of one state both are the same model. */
export interface MapStates {
  readonly before: AccessModel;
  readonly after: AccessModel;
  /** The rows that differ, if that is known. */
  readonly changed?: ChangedRows;
}

const MAP_STATES = ['before', 'after'] as const;
export type MapState = (typeof MAP_STATES)[number];

/** Restricts the identities and the services of a map, and the type of its service policies. */
export type MapQuery = Pick<AccessQuery, 'type' | 'where'>;

/** A policy in both states. A policy that changes its type is two policies: one lost, one gained. */
export interface MapPolicy {
  readonly kind: PolicyKind;
  readonly id: string;
  readonly type: ServicePolicyType | undefined;
  /** Undefined in a state without the policy. */
  readonly before: IndexedPolicy | undefined;
  readonly after: IndexedPolicy | undefined;
}

/** Entities in both states; the same object for both if they are equal. */
export interface StateSets {
  readonly before: Bitset;
  readonly after: Bitset;
}

/** A side that several policies may have: they select entities of a kind by the same roles. */
export interface DistinctSide {
  readonly kind: MapKind;
  /** Its position in the sides of the kind. */
  readonly number: number;
  /** One of the policies. */
  readonly policy: MapPolicy;
  /** The attributes that the side names, in at least one state. */
  readonly attributes: readonly string[];
  /** The positions of all of them in the policies of the scope. */
  readonly positions: readonly number[];
}

export const changeOf = (isBefore: boolean, isAfter: boolean): MapChange => {
  if (isBefore && isAfter) return 'KEPT';
  return isAfter ? 'GAINED' : 'LOST';
};

export const changeOfPolicy = ({ before, after }: MapPolicy): MapChange =>
  changeOf(before !== undefined, after !== undefined);

/** A side of a policy in a state; undefined if the policy is not there. */
export function sideIn(
  { before, after }: MapPolicy,
  kind: MapKind,
  state: MapState,
): MembershipSide | undefined {
  const policy = state === 'before' ? before : after;
  return policy && { roles: rolesOn(policy, SIDE_OF[kind]), semantic: policy.semantic };
}

const NOBODY: Bitset = new Bitset();
const NOWHERE: readonly number[] = [];

/** The entities and policies of a map. */
export class MapScope {
  private readonly positions = new Map<PolicyKind, Map<string, number[]>>();

  private constructor(
    readonly states: MapStates,
    private readonly query: MapQuery,
    /** By kind, then in byte order of their ids. */
    readonly policies: readonly MapPolicy[],
    private readonly sides: ReadonlyMap<MapKind, KindSides>,
    private readonly holdersByKind = new Map<string, RoleHolders>(),
  ) {
    for (const kind of POLICY_KINDS) this.positions.set(kind, new Map());
    for (const [position, { kind, id }] of policies.entries()) {
      const positions = this.positions.get(kind)?.get(id);
      if (positions) positions.push(position);
      else this.positions.get(kind)?.set(id, [position]);
    }
  }

  static *of(states: MapStates, query: MapQuery): Sliced<MapScope> {
    const open = new MapScope(states, query, [], new Map());
    const policies: MapPolicy[] = [];
    for (const kind of POLICY_KINDS) {
      const ofKind = policiesOf(states, kind, query.type);
      yield* eachSliced(ofKind, 32, (policy) => {
        if (open.concerns(policy)) policies.push(policy);
      });
    }
    const sides = new Map<MapKind, KindSides>();
    for (const kind of MAP_KINDS) sides.set(kind, yield* kindSides(states, policies, kind));
    return new MapScope(states, query, policies, sides, open.holdersByKind);
  }

  /** Whether the map compares two states. */
  get isPair(): boolean {
    return this.states.before !== this.states.after;
  }

  /** A number above all ordinals of the kind. */
  bound(kind: MapKind): number {
    const { before, after } = this.states;
    return Math.max(before.ordinalBound(kind), after.ordinalBound(kind));
  }

  /** Whether the entities of the kind are certainly the same in both states. */
  hasSameEntities(kind: MapKind): boolean {
    const { changed } = this.states;
    return !this.isPair || changed?.has(kind) === false;
  }

  sidesOf(kind: MapKind): readonly DistinctSide[] {
    return this.sides.get(kind)?.distinct ?? [];
  }

  /** The side of the policy at a position. */
  sideOf(position: number, kind: MapKind): DistinctSide | undefined {
    return this.sides.get(kind)?.byPosition[position];
  }

  /** The entities of the map; the caller must not change the sets. */
  entities(kind: MapKind): StateSets {
    return this.inBoth((model) => allOrdinals(model, kind), kind);
  }

  /** The entities of the map that a policy selects; the caller must not change the sets. */
  members(kind: MapKind, policy: MapPolicy): StateSets {
    return this.inBoth((model, state) => {
      const inState = policy[state];
      return inState && membersOf(model, policy.kind, [inState], SIDE_OF[kind]);
    }, kind);
  }

  /** The positions of a policy, which is there twice if it changes its type. */
  positionsOf(kind: PolicyKind, id: string): readonly number[] {
    return this.positions.get(kind)?.get(id) ?? NOWHERE;
  }

  /** The ids at ordinals of the map, in no particular order. */
  idsAt(kind: MapKind, ordinals: Bitset): string[] {
    const { before, after } = this.states;
    const ids = after.idsOf(kind, ordinals);
    if (!this.isPair) return ids;
    const gone = ordinals.clone().andNot(allOrdinals(after, kind));
    return [...ids, ...before.idsOf(kind, gone)];
  }

  ordinalOf(kind: MapKind, id: string): number | undefined {
    const { before, after } = this.states;
    return after.ordinalOf(kind, id) ?? (this.isPair ? before.ordinalOf(kind, id) : undefined);
  }

  /** The holders of attributes among the entities of the map in a state. */
  holders(kind: MapKind, state: MapState): RoleHolders {
    const key = this.isPair ? `${kind} ${state}` : kind;
    const cached = this.holdersByKind.get(key);
    if (cached) return cached;
    const isPart = this.among(kind) !== undefined;
    const entities = this.entities(kind)[state];
    const holders = new RoleHolders(this.states[state], kind, entities, isPart);
    this.holdersByKind.set(key, holders);
    return holders;
  }

  private inBoth(
    setIn: (model: AccessModel, state: MapState) => Bitset | undefined,
    kind: MapKind,
  ): StateSets {
    const among = this.among(kind);
    const selectedIn = (state: MapState): Bitset => {
      const set = setIn(this.states[state], state);
      if (!set) return NOBODY;
      return among ? set.and(among) : set;
    };
    const after = selectedIn('after');
    if (!this.isPair) return { before: after, after };
    const before = selectedIn('before');
    return before.equals(after) ? { before: after, after } : { before, after };
  }

  /** The entities that the query selects; undefined if it selects all. */
  among(kind: MapKind): Bitset | undefined {
    const side = SIDE_OF[kind];
    return side === 'edgeRouters' ? undefined : this.query.where?.[side];
  }

  /** Whether the policy selects one of the entities of each kind that the query restricts. */
  private concerns(policy: MapPolicy): boolean {
    return KINDS_OF[policy.kind].every((kind) => {
      if (!this.among(kind)) return true;
      return MAP_STATES.some((state) => {
        const side = sideIn(policy, kind, state);
        return side !== undefined && !this.holders(kind, state).isEmpty(side);
      });
    });
  }
}

/** Gives the policies of a kind, only service policies of the type, in byte order of their ids. */
function policiesOf(
  { before, after }: MapStates,
  kind: PolicyKind,
  type: ServicePolicyType | undefined,
): MapPolicy[] {
  const policies: MapPolicy[] = [];
  const add = (earlier: IndexedPolicy | undefined, later: IndexedPolicy | undefined): void => {
    const policy = later ?? earlier;
    if (!policy) return;
    if (type && kind === 'servicePolicy' && policy.type !== type) return;
    policies.push({ kind, id: policy.id, type: policy.type, before: earlier, after: later });
  };
  for (const later of after.policies(kind)) {
    const earlier = after === before ? later : before.policy(kind, later.id);
    if (earlier && earlier.type !== later.type) {
      add(earlier, undefined);
      add(undefined, later);
    } else add(earlier, later);
  }
  if (after !== before) {
    for (const earlier of before.policies(kind)) {
      if (!after.policy(kind, earlier.id)) add(earlier, undefined);
    }
  }
  return policies.sort(
    (a, b) => compareBytes(a.id, b.id) || compareBytes(a.type ?? '', b.type ?? ''),
  );
}

/** The sides of policies that select entities of a kind. */
interface KindSides {
  readonly distinct: readonly DistinctSide[];
  /** By the position of the policy. */
  readonly byPosition: readonly (DistinctSide | undefined)[];
}

/** Many policies have the same roles on a side, such as `#all`: their members are read once. */
function* kindSides(
  states: MapStates,
  policies: readonly MapPolicy[],
  kind: MapKind,
): Sliced<KindSides> {
  const distinct = new Map<string, DistinctSide & { readonly positions: number[] }>();
  const byPosition: (DistinctSide | undefined)[] = [];
  yield* eachSliced(policies, 256, (policy) => {
    const position = byPosition.length;
    if (!KINDS_OF[policy.kind].includes(kind)) {
      byPosition.push(undefined);
      return;
    }
    const text = sideText(states, policy, kind);
    const side = distinct.get(text) ?? newSide(kind, distinct.size, policy);
    distinct.set(text, side);
    side.positions.push(position);
    byPosition.push(side);
  });
  return { distinct: [...distinct.values()], byPosition };
}

function newSide(
  kind: MapKind,
  number: number,
  policy: MapPolicy,
): DistinctSide & { readonly positions: number[] } {
  const { before, after } = policy;
  const earlier = before && before !== after ? rolesOn(before, SIDE_OF[kind]).attributes : [];
  const later = after ? rolesOn(after, SIDE_OF[kind]).attributes : [];
  const attributes = earlier.length > 0 ? [...new Set([...earlier, ...later])] : later;
  return { kind, number, policy, attributes, positions: [] };
}

function sideText({ before, after }: MapStates, policy: MapPolicy, kind: MapKind): string {
  const later = rolesText(policy.after, kind);
  return before === after ? later : `${rolesText(policy.before, kind)} ${later}`;
}

function rolesText(policy: IndexedPolicy | undefined, kind: MapKind): string {
  if (!policy) return '-';
  const { all, attributes, ids } = rolesOn(policy, SIDE_OF[kind]);
  return all ? '#all' : JSON.stringify([policy.semantic, attributes, ids]);
}

import { Bitset } from '../../../kernel/policy/index.js';
import { allOrdinals } from '../model/access-model.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import type { MapNode } from './map-node.js';
import type { MapScope, MapState } from './map-scope.js';
import type { CheckIds, PolicyChecks } from './policy-checks.js';

/** The live API sessions of identities. */
export interface JudgedSessions {
  /** The identity of each session. */
  readonly identityIds: readonly string[];
  /** Gives whether a check, as it is in a state of the map, passes in the session at a position. */
  readonly verdictsOf: (checkId: string, state: MapState) => (position: number) => boolean;
}

export interface PostureCounts {
  /** Identities with a verdict: a policy with checks selects them, and they have a live session. */
  readonly judged: number;
  /** Those for which such a policy does not grant: each of their sessions fails one of its checks. */
  readonly failing: number;
}

/** Identities by ordinal. */
interface Verdicts {
  readonly judged: Bitset;
  readonly failing: Bitset;
}

const noVerdicts = (): Verdicts => ({ judged: new Bitset(), failing: new Bitset() });

/**
 * The verdicts of the posture checks on the identities of a map. Each check is judged once in each
 * session, and each list of checks once for all policies that have it.
 */
export class MapPosture {
  /** The positions of the sessions that pass a check, by its id. */
  private readonly passing = {
    before: new Map<string, Bitset>(),
    after: new Map<string, Bitset>(),
  };
  /** The identities that fail one of the checks in each session; each state has its own lists. */
  private readonly failing = new Map<CheckIds, Bitset>();
  private readonly identities = noVerdicts();
  private readonly classCounts: PostureCounts[] = [];
  private readonly inSession: Bitset;

  private constructor(
    private readonly checks: PolicyChecks,
    private readonly sessions: JudgedSessions,
    /** The ordinals of the identities of the sessions. */
    private readonly owners: Int32Array,
  ) {
    this.inSession = Bitset.of(owners);
  }

  /** The sessions are those of identities that the policies with checks select. */
  static *of(checks: PolicyChecks, sessions: JudgedSessions): Sliced<MapPosture> {
    const { scope } = checks.map;
    const owners = Int32Array.from(
      sessions.identityIds,
      (id) => scope.ordinalOf('identity', id) ?? 0,
    );
    yield;
    const posture = new MapPosture(checks, sessions, owners);
    yield* posture.judgeIdentities();
    posture.countClasses();
    return posture;
  }

  /** Counts the identities of a class, or those that policies select; nothing for other nodes. */
  *countsOf({ kind, items }: MapNode): Sliced<PostureCounts | undefined> {
    if (kind === 'identity') return this.sumOf(items);
    return kind === 'servicePolicy' ? yield* this.countSelected(items) : undefined;
  }

  /** Whether an identity fails the checks of a policy of the map; undefined without a verdict. */
  isFailing(identityId: string): boolean | undefined {
    const ordinal = this.scope.ordinalOf('identity', identityId);
    if (ordinal === undefined || !this.identities.judged.has(ordinal)) return undefined;
    return this.identities.failing.has(ordinal);
  }

  private get scope(): MapScope {
    return this.checks.map.scope;
  }

  /** Judges identities in the later state in which they exist. */
  private *judgeIdentities(): Sliced<void> {
    const { scope, identities } = this;
    const after = yield* this.verdictsIn('after');
    identities.judged.or(after.judged);
    identities.failing.or(after.failing);
    const gone = this.inSession.clone().andNot(allOrdinals(scope.states.after, 'identity'));
    if (gone.isEmpty()) return;
    const before = yield* this.verdictsIn('before');
    identities.judged.or(before.judged.and(gone));
    identities.failing.or(before.failing.and(gone));
  }

  private *verdictsIn(state: MapState): Sliced<Verdicts> {
    const verdicts = noVerdicts();
    for (const { policy, positions } of this.scope.sidesOf('identity')) {
      const lists = this.checks.listsOf(positions, state);
      if (lists.length === 0) continue;
      const members = this.scope.members('identity', policy)[state];
      yield* this.addVerdicts(verdicts, members, lists, state);
    }
    return verdicts;
  }

  /** Adds the members that have a session. */
  private *addVerdicts(
    { judged, failing }: Verdicts,
    members: Bitset,
    lists: readonly CheckIds[],
    state: MapState,
  ): Sliced<void> {
    const inSession = members.clone().and(this.inSession);
    judged.or(inSession);
    for (const checkIds of lists) {
      const failingList = yield* this.failingAt(checkIds, state);
      failing.or(failingList.clone().and(inSession));
      yield;
    }
  }

  private countClasses(): void {
    const classes = this.checks.map.classes.get('identity');
    if (!classes) return;
    const { judged, failing } = this.identities;
    judged.forEach((ordinal) => {
      const number = classes.classOf[ordinal] ?? -1;
      const counts = this.classCounts[number] ?? NONE;
      this.classCounts[number] = {
        judged: counts.judged + 1,
        failing: counts.failing + (failing.has(ordinal) ? 1 : 0),
      };
    });
  }

  private sumOf(classNumbers: readonly number[]): PostureCounts {
    const counts = classNumbers.map((number) => this.classCounts[number] ?? NONE);
    return {
      judged: counts.reduce((sum, { judged }) => sum + judged, 0),
      failing: counts.reduce((sum, { failing }) => sum + failing, 0),
    };
  }

  /** Judges policies in the later state in which they exist; each identity counts once. */
  private *countSelected(positions: readonly number[]): Sliced<PostureCounts> {
    const { scope, checks } = this;
    const verdicts = noVerdicts();
    for (const position of positions) {
      const policy = scope.policies[position];
      if (!policy) continue;
      const state = policy.after ? 'after' : 'before';
      const lists = checks.listsOf([position], state);
      if (lists.length === 0) continue;
      const members = scope.members('identity', policy)[state];
      yield* this.addVerdicts(verdicts, members, lists, state);
    }
    return { judged: verdicts.judged.popcount(), failing: verdicts.failing.popcount() };
  }

  /** The identities without a session that passes all of the checks. */
  private *failingAt(checkIds: CheckIds, state: MapState): Sliced<Bitset> {
    const cached = this.failing.get(checkIds);
    if (cached) return cached;
    const passing = Bitset.of(this.owners.keys());
    for (const id of checkIds) passing.and(yield* this.passingAt(id, state));
    const failing = this.inSession.clone();
    passing.forEach((position) => {
      failing.clear(this.owners[position] ?? 0);
    });
    this.failing.set(checkIds, failing);
    return failing;
  }

  private *passingAt(checkId: string, state: MapState): Sliced<Bitset> {
    const cached = this.passing[state].get(checkId);
    if (cached) return cached;
    const passing = new Bitset(this.owners.length);
    const isPassing = this.sessions.verdictsOf(checkId, state);
    yield* eachSliced(this.owners.keys(), 256, (position) => {
      if (isPassing(position)) passing.set(position);
    });
    this.passing[state].set(checkId, passing);
    return passing;
  }
}

const NONE: PostureCounts = { judged: 0, failing: 0 };

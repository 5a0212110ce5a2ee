import { ModelOverlay, rowChangeOf } from '../analysis/index.js';
import { ConfigUse } from './config-use.js';
import { ServiceFreshness } from './service-freshness.js';
import type { RequestContext } from '../kernel/request/context.js';
import { ApiError } from '../base/errors.js';
import type { Catalog } from '../kernel/declare/catalog.js';
import type { Change, Cursor, Store } from '../kernel/request/store-port.js';
import { originOf } from '../kernel/write/write.js';
import { affectedIdentities, Bitset, parseRoles, type PolicyIndex } from '../policy/index.js';
import { PassingTime, POSTURE_DATA, PostureChecks, PostureStore } from '../posture/index.js';
import { modelChangeOf } from '../resources/index.js';
import { AccessEnforcer } from './enforce-access.js';

/** What is held in memory of who may reach what, beside the policy index. */
export interface AccessState {
  readonly checks: PostureChecks;
  readonly posture: PostureStore;
  readonly freshness: ServiceFreshness;
  readonly configs: ConfigUse;
}

/** The log as far as it concerns those who start: where they are, and what lies between. */
export interface LogReader {
  readonly here: Cursor;
  readonly since: (position: Cursor) => AsyncIterable<readonly Change[]>;
}

/** After the policy index is loaded. */
export async function loadAccess(
  store: Store,
  index: PolicyIndex,
  log: LogReader,
  now: Date,
): Promise<AccessState> {
  const state: AccessState = {
    checks: new PostureChecks(index),
    posture: new PostureStore(store),
    freshness: new ServiceFreshness(index),
    configs: new ConfigUse(index),
  };
  await state.checks.load(store);
  await state.configs.load(store);
  const position = await state.freshness.load(store, log.here, now);
  try {
    const missed: Change[] = [];
    for await (const changes of log.since(position)) missed.push(...changes);
    const affected = affectedBy(state, index, missed);
    for (const [i, { at }] of missed.entries()) {
      state.freshness.remind(affected[i] ?? new Bitset(), at);
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'HISTORY_NOT_KEPT') throw error;
    await state.freshness.beginAnew(store, log.here, now);
  }
  return state;
}

/**
 * What follows from changes of the model: lists of services are other than before, and sessions
 * lose what they rest on. Both are read off the changes, wherever they were made.
 */
export class AccessWatch {
  readonly #enforcer: AccessEnforcer;
  readonly #time: PassingTime;

  constructor(
    private readonly store: Store,
    private readonly index: PolicyIndex,
    private readonly state: AccessState,
    private readonly catalog: Catalog,
    /** In the name of the controller itself. */
    private readonly context: () => RequestContext,
  ) {
    const { checks, posture } = state;
    this.#enforcer = new AccessEnforcer({ store, index, checks, posture, context });
    this.#time = new PassingTime({ store, index, checks, posture });
    store.onChange((changes) => this.#follow(changes));
  }

  /** After a time in which nobody watched. */
  enforceAll(): Promise<void> {
    return this.#enforcer.enforceAll();
  }

  /** To be called every few seconds. */
  lookAtTime(): Promise<void> {
    return this.#time.look(originOf(this.context()));
  }

  saveFreshness(position: Cursor): Promise<void> {
    return this.state.freshness.save(this.store, position);
  }

  async #follow(changes: readonly Change[]): Promise<void> {
    const mayLose = new Bitset();
    for (const change of changes) this.state.checks.applyChange(change);
    for (const [i, affected] of affectedBy(this.state, this.index, changes).entries()) {
      const change = changes[i];
      if (!change) continue;
      this.state.freshness.mark(affected, change.at);
      if (mayTakeAccess(this.catalog, change)) mayLose.or(affected);
    }
    await this.#enforcer.enforce(mayLose);
  }
}

function mayTakeAccess(catalog: Catalog, { resource }: Change): boolean {
  const decides = catalog.find(resource)?.options.decides;
  return resource === POSTURE_DATA || (decides?.reach ?? decides?.posture) !== undefined;
}

/** The identities, by ordinal, whose list of services each of the changes alters. */
function affectedBy(
  { configs }: AccessState,
  index: PolicyIndex,
  changes: readonly Change[],
): Bitset[] {
  const byModel = affectedByModel(index, changes);
  return changes.map((change, i) => {
    const affected = configs.take(change).or(byModel[i] ?? new Bitset());
    if (ABOUT_ONE.has(change.resource)) {
      const ordinal = index.ordinalOf('identity', change.id);
      if (ordinal !== undefined) affected.set(ordinal);
    }
    return affected;
  });
}

/**
 * The index has all of the changes. So they are gone through from the last to the first, and each
 * is undone after it was looked at: a deleted service is still there for what came before.
 */
function affectedByModel(index: PolicyIndex, changes: readonly Change[]): Bitset[] {
  if (!changes.some(modelChangeOf)) return [];
  const model = new ModelOverlay(index);
  const affected = changes.toReversed().map((change) => {
    const row = modelChangeOf(change);
    if (!row) return new Bitset();
    // An identity that is deleted by now has no list, and no place in the index.
    const found = affectedIdentities(model, row).and(index.union('identity', [EVERYBODY]));
    const earlier = rowChangeOf({ ...change, after: change.before });
    if (earlier) model.apply(earlier);
    return found;
  });
  return affected.reverse();
}

const EVERYBODY = { roles: parseRoles(['#all']), semantic: 'AnyOf' } as const;

/** Records that carry the id of the identity that they are about. */
const ABOUT_ONE = new Set([POSTURE_DATA, 'ServiceRequestFailure']);

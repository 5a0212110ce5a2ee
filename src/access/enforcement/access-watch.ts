import { ModelOverlay, rowChangeOf } from '../analysis/index.js';
import { ConfigUse } from './config-use.js';
import { ServiceFreshness } from './service-freshness.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { ApiError } from '../../base/errors.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Change, Cursor, Store } from '../../kernel/request/store-port.js';
import { originOf } from '../../kernel/write/write.js';
import {
  affectedIdentities,
  Bitset,
  EVERY_ENTITY,
  type PolicyIndex,
} from '../../kernel/policy/index.js';
import {
  PassingTime,
  POSTURE_DATA,
  PostureChecks,
  PostureStore,
} from '../../trust/posture/index.js';
import { AccessEnforcer } from './enforce-access.js';
import { listedChange } from './listed-change.js';
import type { RecentChanges } from './latest-states.js';
import { PostureLosses } from './posture-losses.js';

/** The state of access in memory, beside the policy index. */
export interface AccessState {
  readonly checks: PostureChecks;
  readonly posture: PostureStore;
  readonly freshness: ServiceFreshness;
  readonly configs: ConfigUse;
  readonly losses: PostureLosses;
}

/** The change log for a starting controller: the current position, and earlier changes. */
export interface LogReader {
  readonly here: Cursor;
  readonly since: (position: Cursor) => AsyncIterable<readonly Change[]>;
}

/** Loads the state; call it after the policy index is loaded. */
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
    losses: new PostureLosses(),
  };
  await state.checks.load(store);
  await state.configs.load(store);
  const position = await state.freshness.load(store, log.here, now);
  try {
    const missedChanges: Change[] = [];
    for await (const changes of log.since(position)) missedChanges.push(...changes);
    const affected = affectedBy(state, index, missedChanges);
    for (const [i, { at }] of missedChanges.entries()) {
      state.freshness.markIfLater(affected[i] ?? new Bitset(), at);
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'HISTORY_NOT_KEPT') throw error;
    await state.freshness.restart(store, log.here, now);
  }
  return state;
}

/**
 * Reacts to changes of the model by any controller: marks changed lists of services, and ends
 * sessions that lost their access.
 */
export class AccessWatch {
  readonly #enforcer: AccessEnforcer;
  readonly #time: PassingTime;

  constructor(
    private readonly store: Store,
    private readonly index: PolicyIndex,
    private readonly state: AccessState,
    private readonly catalog: Catalog,
    recent: RecentChanges,
    /** Makes a context for work of the controller itself. */
    private readonly context: () => RequestContext,
  ) {
    const { checks, posture, losses } = state;
    const judging = { index, checks, posture };
    this.#enforcer = new AccessEnforcer({ store, ...judging, losses, recent, context });
    this.#time = new PassingTime({ store, ...judging });
    store.onChange((changes) => this.#applyChanges(changes));
  }

  /** Checks all sessions, after a time without a running watch. */
  enforceAll(): Promise<void> {
    return this.#enforcer.enforceAll();
  }

  /** Checks conditions that depend on time; call it every few seconds. */
  lookAtTime(): Promise<void> {
    return this.#time.look(originOf(this.context()));
  }

  saveFreshness(position: Cursor): Promise<void> {
    return this.state.freshness.save(this.store, position);
  }

  async #applyChanges(changes: readonly Change[]): Promise<void> {
    const mayLose = new Bitset();
    for (const change of changes) this.state.checks.applyChange(change);
    for (const [i, affected] of affectedBy(this.state, this.index, changes).entries()) {
      const change = changes[i];
      if (!change) continue;
      this.state.freshness.mark(affected, change.at);
      if (mayTakeAccess(this.catalog, change)) mayLose.or(affected);
    }
    await this.#enforcer.enforce(mayLose, changes);
  }
}

function mayTakeAccess(catalog: Catalog, { resource }: Change): boolean {
  const decides = catalog.find(resource)?.options.decides;
  return resource === POSTURE_DATA || (decides?.reach ?? decides?.posture) !== undefined;
}

/** Gives for each change the identities, by ordinal, whose list of services it alters. */
function affectedBy(
  { configs }: AccessState,
  index: PolicyIndex,
  changes: readonly Change[],
): Bitset[] {
  const byModel = affectedByModel(index, changes);
  return changes.map((change, i) => {
    const affected = configs.applyChange(change).or(byModel[i] ?? new Bitset());
    if (IDENTITY_RECORDS.has(change.resource)) {
      const ordinal = index.ordinalOf('identity', change.id);
      if (ordinal !== undefined) affected.set(ordinal);
    }
    return affected;
  });
}

/**
 * The index already contains all changes. So this goes from the last change to the first and undoes
 * each after it is evaluated: for earlier changes, a deleted service still exists.
 */
function affectedByModel(index: PolicyIndex, changes: readonly Change[]): Bitset[] {
  const modelChanges = changes.map(listedChange);
  if (modelChanges.every((change) => change === undefined)) return [];
  const model = new ModelOverlay(index);
  const affected = changes.map(() => new Bitset());
  // A deleted identity has no list and no ordinal.
  const listed = index.union('identity', [EVERY_ENTITY]);
  for (let i = changes.length - 1; i >= 0; i -= 1) {
    const [change, modelChange] = [changes[i], modelChanges[i]];
    if (!change || !modelChange) continue;
    affected[i] = affectedIdentities(model, modelChange).and(listed);
    const { resource, id, before } = change;
    const earlier = rowChangeOf({ resource, id, after: before });
    if (earlier) model.apply(earlier);
  }
  return affected;
}

/** Records whose id is the id of their identity. */
const IDENTITY_RECORDS = new Set([POSTURE_DATA, 'ServiceRequestFailure']);

import type { Logger } from 'pino';
import { AccessWatch } from '../../access/enforcement/index.js';
import type { Config } from '../configuration.js';
import type { Cursor } from '../../kernel/request/store-port.js';
import { Leases } from '../../data/store/leases.js';
import type { ModelStore } from '../../data/store/model-store.js';
import { startAccessUseUpkeep, startUseFlushing } from './access-use-upkeep.js';
import type { Assembly } from './assembly.js';
import { startAssignmentUpkeep } from './assignment-upkeep.js';
import { startBundleUpkeep } from './bundle-upkeep.js';
import { startChangeUpkeep } from './change-upkeep.js';
import { startDirectoryUpkeep } from './directory-upkeep.js';
import { startIdentityUpkeep, startTimedIdentities } from './identity-upkeep.js';
import { logEmergencyUses } from './log-emergency-uses.js';
import type { NetworkModel } from './network-model.js';
import { startFailureFlushing, startLoginUpkeep } from './login-upkeep.js';
import { startPolicyUpkeep } from './policy-upkeep.js';
import { startPresencePolling, startPresenceUpkeep } from './presence-upkeep.js';
import { startFlushing, startSessionUpkeep } from './session-upkeep.js';
import { startChangeSink } from './start-change-sink.js';
import type { Stops } from './stops.js';
import { startWarmUp } from './warm-up.js';
import { warn } from './warn.js';

export interface UpkeepOptions extends NetworkModel, Assembly {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => Date;
  readonly store: ModelStore;
}

const UPKEEP = 'activity or ends of sessions could not be stored';
const LOGINS = 'counts of logins could not be stored';
const USES = 'uses of access could not be stored';
const ASSIGNMENTS = 'role assignments could not begin or end';
const POLICIES = 'service policies could not begin or end';
const DIRECTORIES = 'deleted users of directories could not be deleted';
const IDLE = 'idle identities could not be deleted';
const TIMED = 'identities could not begin or end';
const BUNDLES = 'bundles of trust domains could not be refreshed';
const PRUNING = 'the change log could not be pruned';
const SINK = 'changes could not be written to OVERGRAPH_CHANGES_SINK';
const PRESENCE = 'router presence could not be read or stored';
const LEASE = 'a lease could not be renewed';
const WARM_UP = 'the first map of access could not be made';

/**
 * Starts the change feed and the regular work of a worker: the first process of the controller does
 * the rest.
 */
export async function startWorkerUpkeep(options: UpkeepOptions, stops: Stops): Promise<void> {
  const { config, log, feed, presence, integrity, sessions, accessUses, loginCounts } = options;
  watchAccess(options);
  stops.push(() => integrity.stop());
  await feed.start();
  stops.push(
    warmUp(options),
    startFlushing(sessions, config.sessionTimeoutMs, warn(log, UPKEEP)),
    startFailureFlushing(loginCounts, warn(log, LOGINS)),
    startUseFlushing(accessUses, warn(log, USES)),
    await startPresencePolling(presence, warn(log, PRESENCE)),
  );
}

const watchAccess = ({ store, model, access, recent, contexts }: UpkeepOptions): AccessWatch =>
  new AccessWatch(store, model.policies, access, contexts.catalog, recent, () =>
    contexts.make('', undefined),
  );

const warmUp = ({ log, model, contexts }: UpkeepOptions): Stops[number] =>
  startWarmUp({
    index: model.policies,
    context: () => contexts.make('', undefined),
    onError: warn(log, WARM_UP),
  });

/** Starts the change feed and all regular work. */
export async function startUpkeep(options: UpkeepOptions, stops: Stops): Promise<void> {
  const { config, log, store, feed, presence, integrity, loginCounts } = options;
  const watch = watchAccess(options);
  store.onChange(logEmergencyUses(log));
  stops.push(() => integrity.stop());
  const leases = new Leases(store, warn(log, LEASE));
  stops.push(() => leases.stop());
  await feed.start();
  stops.push(
    warmUp(options),
    startSessionUpkeep({
      ...options,
      watch,
      leases,
      position: () => feed.position,
      timeoutMs: config.sessionTimeoutMs,
      onError: warn(log, UPKEEP),
    }),
    startLoginUpkeep(loginCounts, leases, warn(log, LOGINS)),
    startAccessUseUpkeep({ ...options, leases, onError: warn(log, USES) }),
    startAssignmentUpkeep({
      ...options,
      leases,
      keepMs: config.changes.keepMs,
      onError: warn(log, ASSIGNMENTS),
    }),
    startPolicyUpkeep({ ...options, onError: warn(log, POLICIES) }),
    startDirectoryUpkeep({ ...options, leases, onError: warn(log, DIRECTORIES) }),
    startIdentityUpkeep({ ...options, leases, onError: warn(log, IDLE) }),
    await startTimedIdentities({ ...options, onError: warn(log, TIMED) }),
    startBundleUpkeep({ ...options, leases, onError: warn(log, BUNDLES) }),
    ...startChangeJobs(options, leases),
    await startPresenceUpkeep(presence, leases, warn(log, PRESENCE)),
  );
}

/** Starts pruning of the change log, and writing it to the configured target. */
function startChangeJobs(options: UpkeepOptions, leases: Leases): Stops {
  const { config, log, now, feed, changeLog, store } = options;
  const position = (): Cursor => feed.position;
  const onLost = (after: Cursor): void => {
    log.error({ after }, 'changes were pruned that had not been written to OVERGRAPH_CHANGES_SINK');
  };
  const pruning = { ...config.changes, store, leases, now, position };
  return [
    startChangeUpkeep({ ...pruning, onError: warn(log, PRUNING) }),
    startChangeSink({ config, log: changeLog, onError: warn(log, SINK), onLost }),
  ];
}

import type { Logger } from 'pino';
import type { Config } from '../configuration.js';
import { sessions } from '../../data/rows/session/index.js';
import type { ControllerFacts } from '../../graph/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import {
  eventLoopCheck,
  Health,
  Metrics,
  requestLog,
  RequestObserver,
  Unwell,
  type HealthCheck,
  type ProcessMetrics,
  type Traces,
} from '../../requests/observability/index.js';
import type { KeyMaterial } from '../../trust/pki/index.js';
import { ENTITY_KINDS, POLICY_KINDS, type PolicyIndex } from '../../kernel/policy/index.js';
import type { Feed } from '../../data/store/change-feed.js';
import type { Database } from '../../data/store/database.js';
import { expectAnswer, isReadOnly } from '../../data/store/database-state.js';

/** The parts of a controller that operators can monitor. */
export interface Monitoring {
  readonly observer: RequestObserver;
  readonly metrics: Metrics;
  readonly health: Health;
}

export interface MonitoringDependencies {
  readonly config: Pick<Config, 'sessionTimeoutMs'>;
  readonly log: Logger;
  readonly now: () => Date;
  readonly database: Database;
  readonly store: Store;
  readonly feed: Pick<Feed, 'silenceMillis'>;
  readonly policies: PolicyIndex;
  /** Milliseconds to read the model. */
  readonly indexMillis: number;
  readonly facts: ControllerFacts;
  readonly keys: () => KeyMaterial;
  /** Whether the last heartbeat was stored. */
  readonly isWriting: () => boolean;
  readonly traces: Traces | undefined;
  /** Gives the metrics of the other processes of this controller. */
  readonly metricsOfOthers: () => Promise<readonly ProcessMetrics[]>;
}

/** Builds the observer, the metrics and the health checks of a controller. */
export function watchController(dependencies: MonitoringDependencies): Monitoring {
  const { log, now, traces } = dependencies;
  const metrics = metricsOf(dependencies, () => observer.open);
  const watchers = [metrics, requestLog(log)];
  const observer = traces
    ? new RequestObserver([traces, ...watchers], (note, serve) => {
        traces.run(note, serve);
      })
    : new RequestObserver(watchers);
  return { observer, metrics, health: new Health(healthChecks(dependencies), now) };
}

function metricsOf(dependencies: MonitoringDependencies, openRequests: () => number): Metrics {
  const { config, database, store, feed, policies, indexMillis, facts, now } = dependencies;
  return new Metrics({
    database,
    feedSilence: () => feed.silenceMillis,
    indexed: () =>
      [...ENTITY_KINDS, ...POLICY_KINDS].map((kind) => [kind, policies.count(kind)] as const),
    indexMillis,
    sessions: () => sessions.count(store, new Date(now().getTime() - config.sessionTimeoutMs)),
    openRequests,
    ofOthers: dependencies.metricsOfOthers,
    build: { version: facts.version, revision: facts.revision, node: process.version },
  });
}

const MAX_FEED_SILENCE_MILLIS = 5_000;

function healthChecks({
  store,
  feed,
  keys,
  now,
  isWriting,
}: MonitoringDependencies): HealthCheck[] {
  return [
    {
      id: 'database.read',
      run: async () => {
        await expectAnswer(store).catch(() => {
          throw new Unwell('the database does not answer');
        });
      },
    },
    {
      id: 'database.write',
      run: async () => {
        const cannotWrite = await isReadOnly(store).catch(() => true);
        if (cannotWrite || !isWriting()) throw new Unwell('the database can not be written');
      },
    },
    {
      id: 'change-feed',
      run: () => {
        if (feed.silenceMillis > MAX_FEED_SILENCE_MILLIS) {
          throw new Unwell('changes made elsewhere do not arrive');
        }
      },
    },
    {
      id: 'keys',
      run: () => {
        refuseEnded(keys(), now());
      },
    },
    eventLoopCheck(),
  ];
}

function refuseEnded({ server, signer, root }: KeyMaterial, now: Date): void {
  const all = { 'server certificate': server.leaf, signer: signer.cert, root };
  for (const [name, certificate] of Object.entries(all)) {
    if (new Date(certificate.validTo) <= now) throw new Unwell(`the ${name} has expired`);
    if (new Date(certificate.validFrom) > now) throw new Unwell(`the ${name} is not valid yet`);
  }
}

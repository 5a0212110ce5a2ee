import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { ApiSessions } from './auth/index.js';
import { bootstrap, type Bootstrapped } from './bootstrap.js';
import type { Config } from './config.js';
import { enrollmentTokens } from './enrollment/index.js';
import {
  API_SESSIONS,
  buildGraph,
  ContextFactory,
  Executor,
  FACTS,
  operations,
  SPECS,
} from './graph/index.js';
import { httpApp } from './http/app.js';
import { startHeartbeat } from './heartbeat.js';
import { Modules } from './kernel/context.js';
import { PRESENCE, RouterPresence } from './kernel/presence.js';
import { TOTALS } from './kernel/listing.js';
import { loadKeyMaterial, type KeyMaterial } from './pki/index.js';
import { openApiDocument, restHandler, restRows } from '../rest-compat/index.js';
import { catalog, ENROLLMENT, KEYS, ModelIndex, POLICY } from './resources/index.js';
import { ChangeFeed, horizon } from './store/change-feed.js';
import { Database } from './store/database.js';
import { migrate } from './store/migrate.js';
import { ModelStore } from './store/model-store.js';
import { openNetwork } from './store/network-record.js';
import { buildFacts } from './version.js';

/** A controller without its listener. */
export interface Controller extends Bootstrapped {
  readonly app: RequestListener;
  readonly keys: KeyMaterial;
  readonly database: Database;
  stop(): Promise<void>;
}

export interface ControllerParts {
  readonly config: Config;
  /** Of an existing, possibly empty database. */
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly now: () => Date;
}

const FLUSHES_PER_TIMEOUT = 10;

/** What has to be ended, last begun first. */
type Undo = () => Promise<void>;

/** Puts a controller together on a database. */
export async function startController(parts: ControllerParts): Promise<Controller> {
  const { config, databaseUrl, log, now } = parts;
  const database = new Database({ url: databaseUrl, named: config.database.namedStatements });
  const undo: Undo[] = [() => database.close()];
  const stop = async (): Promise<void> => {
    for (const end of undo.splice(0).reverse()) await end();
  };
  try {
    await migrate(database.pool);
    const keys = await loadKeys(config, now);
    const { epoch } = await openNetwork(database.pool, keys);
    const store = new ModelStore(database, (name) => catalog.get(name), epoch);
    const bootstrapped = await bootstrap(store, catalog, config, now());
    const model = await followModel(parts, database, store, epoch, undo);
    const sessions = keepSessions(parts, store, undo);
    undo.push(await startHeartbeat({ store, now, config, keys, onError: warn(log, HEARTBEAT) }));
    const app = await openDoors(parts, keys, { store, model, sessions });
    return { ...bootstrapped, app, keys, database, stop };
  } catch (error) {
    await stop();
    log.debug({ error }, 'the controller did not start');
    throw error;
  }
}

const FEED = 'the change feed could not be read';
const ACTIVITY = 'activity of sessions could not be stored';
const HEARTBEAT = 'the sign of life could not be stored';

const warn =
  (log: Logger, what: string) =>
  (error: unknown): void => {
    log.warn({ error }, `${what}; it will be tried again`);
  };

/** The model in memory, kept up to date. */
async function followModel(
  { log }: ControllerParts,
  database: Database,
  store: ModelStore,
  epoch: number,
  undo: Undo[],
): Promise<ModelIndex> {
  const model = new ModelIndex(catalog, store);
  const feed = new ChangeFeed(
    database,
    // Before the model is read, so that nothing falls between.
    await horizon(database, epoch),
    (changes) => {
      store.publish(changes);
    },
    warn(log, FEED),
  );
  await model.load();
  undo.push(() => feed.stop());
  await feed.start();
  return model;
}

/** API sessions, with their activity written down from time to time and at the end. */
function keepSessions(
  { config, log, now }: ControllerParts,
  store: ModelStore,
  undo: Undo[],
): ApiSessions {
  const sessions = new ApiSessions({ store, catalog, now, timeoutMs: config.sessionTimeoutMs });
  const flush = (): Promise<void> => sessions.flush().catch(warn(log, ACTIVITY));
  const flushing = setInterval(() => void flush(), config.sessionTimeoutMs / FLUSHES_PER_TIMEOUT);
  flushing.unref();
  undo.push(() => {
    clearInterval(flushing);
    return flush();
  });
  return sessions;
}

interface Kept {
  readonly store: ModelStore;
  readonly model: ModelIndex;
  readonly sessions: ApiSessions;
}

/** Both doors on one graph. */
async function openDoors(
  { config, log, now }: ControllerParts,
  keys: KeyMaterial,
  { store, model, sessions }: Kept,
): Promise<RequestListener> {
  const rows = restRows(catalog);
  const facts = buildFacts(config, randomUUID());
  const modules = new Modules()
    .add(TOTALS, model)
    .add(POLICY, model.policies)
    .add(KEYS, keys)
    .add(PRESENCE, new RouterPresence(now))
    .add(ENROLLMENT, enrollmentSettings(config, keys, now))
    .add(API_SESSIONS, sessions)
    .add(FACTS, facts)
    .add(
      SPECS,
      new Map([
        ['edge-client', openApiDocument(rows, 'client', facts.version)],
        ['edge-management', openApiDocument(rows, 'management', facts.version)],
      ]),
    );
  const contexts = new ContextFactory({ catalog, store, modules, sessions, now });
  const executor = new Executor(await buildGraph(catalog, operations));
  const onUnexpected = (error: unknown, requestId: string): void => {
    log.error({ err: error, requestId }, 'a request failed unexpectedly');
  };
  const rest = restHandler(rows, executor, catalog, { contexts, onUnexpected });
  return httpApp({ config, facts, executor, contexts, rest, onUnexpected });
}

function loadKeys(
  { pki, advertise, listen, dataDir }: Config,
  clock: () => Date,
): Promise<KeyMaterial> {
  return loadKeyMaterial({
    directory: join(dataDir, 'pki'),
    advertiseHost: advertise.host,
    hosts: [listen.host],
    trustDomain: pki.trustDomain,
    secretKey: pki.secretKey?.toString('base64'),
    files: {
      tlsCert: pki.tls?.cert,
      tlsKey: pki.tls?.key,
      caBundle: pki.caBundle,
      signerCert: pki.signer?.cert,
      signerKey: pki.signer?.key,
    },
    clock,
  });
}

function enrollmentSettings(config: Config, keyMaterial: KeyMaterial, clock: () => Date) {
  const { host, port } = config.advertise;
  return {
    tokens: enrollmentTokens({
      keyMaterial,
      advertise: `${host}:${String(port)}`,
      ctrlAddress: config.ctrlAddress,
      clock,
    }),
    identityLifetimeMs: config.enrollmentLifetimeMs,
    routerLifetimeMs: config.routerEnrollmentLifetimeMs,
  };
}

import { join } from 'node:path';
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { restHandler, restRows } from '../rest-compat/index.js';
import { AccessWatch, loadAccess } from './access-watch.js';
import { assembleModules, type AssemblyParts } from './assembly.js';
import { bootstrap, passwordFile, type Bootstrapped } from './bootstrap.js';
import type { Config } from './config.js';
import { buildGraph, Executor, operations } from './graph/index.js';
import { startHeartbeat } from './heartbeat.js';
import { httpApp } from './http/app.js';
import type { Change } from './kernel/store-port.js';
import { startKeyUpkeep } from './key-upkeep.js';
import {
  LiveKeys,
  loadKeyMaterial,
  readSecretFile,
  settlePendingSecretKey,
  type KeyMaterial,
} from './pki/index.js';
import { catalog, ModelIndex } from './resources/index.js';
import { startPresenceUpkeep } from './presence-upkeep.js';
import { startSessionUpkeep } from './session-upkeep.js';
import { ChangeFeed, changesBetween, horizon, type Cursor } from './store/change-feed.js';
import { Database } from './store/database.js';
import { migrate } from './store/migrate.js';
import { ModelStore } from './store/model-store.js';
import { readKeyCheck } from './store/network-keys.js';
import { confirmKeys, openNetwork } from './store/network-record.js';
import { StartError } from './store/start-error.js';

/** A controller without its listener. */
export interface Controller extends Bootstrapped {
  readonly app: RequestListener;
  readonly keys: LiveKeys;
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
    await refuseOpenPassword(config);
    await migrate(database.pool);
    await settleSecretKey(config, databaseUrl);
    const first = await loadKeys(config, now, { isInUse: false });
    const { epoch } = await openNetwork(database.pool, first);
    const keys = new LiveKeys({
      first,
      load: () => loadKeys(config, now, { isInUse: true }),
      accept: (next) => confirmKeys(database.pool, next),
    });
    const store = new ModelStore(
      database,
      (name) => catalog.find(name),
      epoch,
      warn(log, AFTERMATH),
    );
    const bootstrapped = await bootstrap(store, catalog, config, now());
    const followed = await followModel(parts, database, store, epoch, undo);
    const onError = warn(log, HEARTBEAT);
    undo.push(await startHeartbeat({ store, now, config, keys: () => keys.current, onError }));
    const app = await openDoors(parts, { ...followed, store, keys }, undo);
    undo.push(startKeyUpkeep(keys, log));
    return { ...bootstrapped, app, keys, database, stop };
  } catch (error) {
    await stop();
    log.debug({ err: error }, 'the controller did not start');
    throw error;
  }
}

/** The kept password of the administrator is a secret file like a key. */
async function refuseOpenPassword({ dataDir, pki }: Config): Promise<void> {
  const rule = { allowOpen: pki.allowOpenKeyFiles };
  await readSecretFile(passwordFile(dataDir), rule).catch((error: unknown) => {
    // Without such a file, or without access to it, nothing is lost: it is only ever written here.
    if (error instanceof StartError) throw error;
  });
}

const FEED = 'the change feed could not be read';
const AFTERMATH = 'what follows from a change could not be carried out';
const UPKEEP = 'activity and ends of sessions could not be stored';
const PRESENCE = 'what is known of routers could not be read or stored';
const HEARTBEAT = 'the sign of life could not be stored';

const warn =
  (log: Logger, what: string) =>
  (error: unknown): void => {
    log.warn({ err: error }, `${what}; it will be tried again`);
  };

/** The model in memory, kept up to date. */
async function followModel(
  { log, now }: ControllerParts,
  database: Database,
  store: ModelStore,
  epoch: number,
  undo: Undo[],
): Promise<Followed> {
  const model = new ModelIndex(catalog, store);
  // Before the model is read, so that nothing falls between.
  const here = await horizon(database, epoch);
  const deliver = (changes: readonly Change[]): void => {
    void store.deliver(changes);
  };
  const feed = new ChangeFeed(database, here, deliver, warn(log, FEED));
  await model.load();
  const since = (position: Cursor) => changesBetween(database, position, here);
  const access = await loadAccess(store, model.policies, { here, since }, now());
  undo.push(() => feed.stop());
  return { model, access, feed };
}

interface Followed extends Pick<AssemblyParts, 'model' | 'access'> {
  readonly feed: ChangeFeed;
}

/** Both doors on one graph, and the upkeep of the sessions that they open. */
async function openDoors(
  { config, log, now }: ControllerParts,
  { feed, ...kept }: Followed & Pick<AssemblyParts, 'store' | 'keys'>,
  undo: Undo[],
): Promise<RequestListener> {
  const rows = restRows(catalog);
  const assembly = assembleModules({ ...kept, config, log, now, rows });
  const { contexts, facts, presence, endDataCare } = assembly;
  const { store, model, access } = kept;
  const watch = new AccessWatch(store, model.policies, access, () => contexts.make('', undefined));
  undo.push(endDataCare);
  await feed.start();
  undo.push(
    startSessionUpkeep({
      ...assembly,
      watch,
      position: () => feed.position,
      timeoutMs: config.sessionTimeoutMs,
      onError: warn(log, UPKEEP),
    }),
  );
  undo.push(await startPresenceUpkeep(presence, warn(log, PRESENCE)));
  const executor = new Executor(await buildGraph(catalog, operations));
  const onUnexpected = (error: unknown, requestId: string): void => {
    log.error({ err: error, requestId }, 'a request failed unexpectedly');
  };
  const rest = restHandler(rows, executor, catalog, { contexts, onUnexpected });
  return httpApp({ config, facts, executor, contexts, rest, onUnexpected });
}

/** A change of the secret key may have been broken off. */
async function settleSecretKey({ pki, dataDir }: Config, databaseUrl: string): Promise<void> {
  if (pki.secretKey !== undefined) return;
  const rule = { allowOpen: pki.allowOpenKeyFiles };
  await settlePendingSecretKey(join(dataDir, 'pki'), await readKeyCheck(databaseUrl), rule);
}

export function loadKeys(
  { pki, advertise, listen, dataDir }: Config,
  clock: () => Date,
  { isInUse }: { readonly isInUse: boolean },
): Promise<KeyMaterial> {
  return loadKeyMaterial({
    isInUse,
    directory: join(dataDir, 'pki'),
    advertiseHost: advertise.host,
    hosts: [listen.host],
    trustDomain: pki.trustDomain,
    secretKey: pki.secretKey?.file ?? pki.secretKey?.bytes.toString('base64'),
    allowOpenKeyFiles: pki.allowOpenKeyFiles,
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

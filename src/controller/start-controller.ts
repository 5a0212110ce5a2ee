import { join } from 'node:path';
import type { Logger } from 'pino';
import { bootstrap, passwordFile, type Bootstrapped } from './bootstrap.js';
import type { Config } from '../config.js';
import { followModel } from './follow-model.js';
import { startHeartbeat } from './heartbeat.js';
import { startKeyUpkeep } from './key-upkeep.js';
import { openTraces, type Traces } from '../observability/index.js';
import { openDoors, type Doors } from './open-doors.js';
import {
  LiveKeys,
  loadKeyMaterial,
  readSecretFile,
  settlePendingSecretKey,
  type KeyMaterial,
} from '../pki/index.js';
import { progress } from './progress.js';
import { catalog } from '../resources/index.js';
import { Database } from '../store/database.js';
import { fillFollowing } from '../store/fill-following.js';
import { migrate, newerMigrations } from '../store/migrate.js';
import { ModelStore } from '../store/model-store.js';
import { readKeyCheck } from '../store/network-keys.js';
import { confirmKeys, openNetwork } from '../store/network-record.js';
import { StartError } from '../base/start-error.js';
import { warn } from './warn.js';

/** A controller without its listener. */
export interface Controller extends Bootstrapped, Doors {
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
  /** The change log was pruned beyond what this controller had read of it: only a new start helps. */
  readonly onLost?: () => void;
}

/** What has to be ended, last begun first. */
type Undo = () => Promise<void>;

const AFTERMATH = 'what follows from a change could not be carried out';
const HEARTBEAT = 'the sign of life could not be stored';

/** Puts a controller together on a database. */
export async function startController(parts: ControllerParts): Promise<Controller> {
  const { config, databaseUrl, log, now } = parts;
  const database = new Database({ url: databaseUrl, named: config.database.namedStatements });
  const undo: Undo[] = [() => database.close()];
  const stop = async (): Promise<void> => {
    for (const end of undo.splice(0).reverse()) await end();
  };
  try {
    const traces = await traceTo(config, database, log, undo);
    await refuseOpenPassword(config);
    await Promise.all([migrate(database.pool), database.prepareWrites()]);
    progress(log, 'the schema is up to date');
    await tellNewer(database, log);
    await settleSecretKey(config, databaseUrl);
    const first = await loadKeys(config, now, { isInUse: false });
    const { epoch } = await openNetwork(database.pool, first);
    const keys = new LiveKeys({
      first,
      load: () => loadKeys(config, now, { isInUse: true }),
      accept: (next) => confirmKeys(database.pool, next),
    });
    const resources = catalog.find.bind(catalog);
    const store = new ModelStore(database, resources, epoch, warn(log, AFTERMATH));
    const bootstrapped = await bootstrap(store, catalog, config, now());
    await fillFollowing(store, catalog.stored());
    const followed = await followModel({ ...parts, database, store });
    progress(log, 'the model is read');
    undo.push(() => followed.feed.stop());
    const heart = { isBeating: true };
    undo.push(
      await startHeartbeat({ ...parts, store, keys: () => keys.current, ...heard(heart, log) }),
    );
    const isWriting = (): boolean => heart.isBeating;
    const kept = { ...parts, ...followed, database, store, keys, isWriting, traces };
    const doors = await openDoors(kept, undo);
    undo.push(startKeyUpkeep(keys, log));
    return { ...bootstrapped, ...doors, keys, database, stop };
  } catch (error) {
    await stop();
    log.debug({ err: error }, 'the controller did not start');
    throw error;
  }
}

/** Off unless the environment says where traces go. */
async function traceTo(
  config: Config,
  database: Database,
  log: Logger,
  undo: Undo[],
): Promise<Traces | undefined> {
  if (!config.traces) return undefined;
  const traces = await openTraces((fault) => {
    log.warn({ fault: fault.slice(0, 300) }, 'traces could not be sent');
  });
  database.watch = traces.statement;
  undo.push(() => traces.stop());
  return traces;
}

/** A release runs on the database of the next one, while controllers are replaced one by one. */
async function tellNewer({ pool }: Database, log: Logger): Promise<void> {
  const migrations = await newerMigrations(pool);
  if (migrations.length === 0) return;
  log.warn({ migrations }, 'a newer release has brought the database further than this one knows');
}

/** The kept password of the administrator is a secret file like a key. */
async function refuseOpenPassword({ dataDir, pki }: Config): Promise<void> {
  const rule = { allowOpen: pki.allowOpenKeyFiles };
  await readSecretFile(passwordFile(dataDir), rule).catch((error: unknown) => {
    // Without such a file, or without access to it, nothing is lost: it is only ever written here.
    if (error instanceof StartError) throw error;
  });
}

/** Whether the sign of life is stored tells best whether this controller can write. */
const heard = (heart: { isBeating: boolean }, log: Logger) => ({
  onBeat: () => {
    heart.isBeating = true;
  },
  onError: (error: unknown) => {
    heart.isBeating = false;
    warn(log, HEARTBEAT)(error);
  },
});

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

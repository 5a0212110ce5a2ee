import { join } from 'node:path';
import type { Config } from '../configuration.js';
import {
  hostIn,
  LiveKeys,
  loadKeyMaterial,
  settlePendingSecretKey,
  type KeyMaterial,
} from '../../trust/pki/index.js';
import type { Database } from '../../data/store/database.js';
import { readKeyCheck } from '../../data/store/network-keys.js';
import { confirmKeys, openNetwork, type NetworkRecord } from '../../data/store/network-record.js';

/** The current keys, and the record of the network in the database. */
export interface OpenedKeys {
  readonly keys: LiveKeys;
  readonly record: NetworkRecord;
}

/**
 * Loads the key material, or creates it at the first start, and checks it against the network
 * record.
 */
export async function openKeys(
  config: Config,
  databaseUrl: string,
  database: Database,
  now: () => Date,
): Promise<OpenedKeys> {
  await settleSecretKey(config, databaseUrl);
  const first = await loadKeys(config, now, { isInUse: false });
  const record = await openNetwork(database, first);
  const keys = new LiveKeys({
    first,
    load: () => loadKeys(config, now, { isInUse: true }),
    accept: (next) => confirmKeys(database, next),
  });
  return { keys, record };
}

/** Completes or undoes an interrupted change of the secret key. */
async function settleSecretKey({ pki, dataDir }: Config, databaseUrl: string): Promise<void> {
  if (pki.secretKey !== undefined) return;
  const rule = { allowOpen: pki.allowOpenKeyFiles };
  await settlePendingSecretKey(join(dataDir, 'pki'), await readKeyCheck(databaseUrl), rule);
}

export function loadKeys(
  { pki, advertise, listen, ctrlAddress, dataDir }: Config,
  clock: () => Date,
  { isInUse }: { readonly isInUse: boolean },
): Promise<KeyMaterial> {
  return loadKeyMaterial({
    isInUse,
    directory: join(dataDir, 'pki'),
    advertiseHost: advertise.host,
    hosts: [listen.host, hostIn(ctrlAddress) ?? listen.host],
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

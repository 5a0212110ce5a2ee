import 'reflect-metadata';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadKeys } from '../controller/controller-keys.js';
import {
  namesIn,
  readKeyFiles,
  removeAllBut,
  settlePendingSecretKey,
  writeKeyFiles,
  type KeyMaterial,
} from '../../trust/pki/index.js';
import {
  restoreSnapshot,
  verifySnapshot,
  type Restored,
  type VerifiedSnapshot,
} from '../../data/store/snapshot/index.js';
import { StartError } from '../../base/start-error.js';
import { usageError } from './command-error.js';
import type { Environment } from './controller-connection.js';
import { exclusively, type Offline } from './offline.js';
import type { CommandLine } from './options.js';
import { counted } from './plain.js';

/** `overgraph restore <file>` */
export async function restoreCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const [file, ...others] = operands;
  if (file === undefined || others.length > 0) throw usageError('restore takes one file');
  const path = resolve(file);
  // All of it, before anything is made from it.
  const snapshot = await verifySnapshot(path);
  const isNewPki = options['new-pki'] === true;
  await exclusively(env, async (offline) => {
    report(snapshot, await restore(offline, path, snapshot, isNewPki), isNewPki);
  });
}

async function restore(
  { config, databaseUrl }: Offline,
  path: string,
  snapshot: VerifiedSnapshot,
  isNewPki: boolean,
): Promise<Restored> {
  const now = new Date();
  const directory = join(config.dataDir, 'pki');
  const before = await namesIn(directory);
  try {
    if (!isNewPki) await bringKeys(config, directory, snapshot);
    const keys = await loadKeys(config, () => now, { isInUse: false });
    if (!isNewPki) refuseOthers(keys, snapshot);
    const newKeys = isNewPki ? keys : undefined;
    return await restoreSnapshot({ url: databaseUrl, path, now, newKeys });
  } catch (error) {
    // Keys that came with this restore go with it.
    if (before.length === 0) await rm(directory, { recursive: true, force: true });
    else await removeAllBut(directory, before);
    throw error;
  }
}

const CURE =
  'bring them here with "overgraph pki export" and "overgraph pki import", or give --new-pki and enroll everything again';

async function bringKeys(
  { pki }: Offline['config'],
  directory: string,
  { files, header }: VerifiedSnapshot,
): Promise<void> {
  const rule = { allowOpen: pki.allowOpenKeyFiles };
  if (pki.secretKey === undefined) {
    await settlePendingSecretKey(directory, header.network.keyCheck, rule);
  }
  const present = await readKeyFiles(directory, rule);
  if (Object.keys(present).length > 0 || pki.signer !== undefined) return;
  if (!files) {
    throw new StartError(`neither the snapshot nor ${directory} has the keys of the network`, CURE);
  }
  await writeKeyFiles(
    directory,
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [name, Buffer.from(content, 'base64')]),
    ),
    rule,
  );
}

function refuseOthers(
  { rootFingerprint, predecessors, keyCheck }: KeyMaterial,
  { header: { network } }: VerifiedSnapshot,
): void {
  // A root that has followed since is still that of the network: it is recorded at the next start.
  const isRoot = [rootFingerprint, ...predecessors].includes(network.rootFingerprint);
  if (isRoot && keyCheck === network.keyCheck) return;
  throw new StartError(
    `the ${isRoot ? 'secret key' : 'root certificate'} here is not that of the network in the snapshot`,
    CURE,
  );
}

function report(snapshot: VerifiedSnapshot, restored: Restored, isNewPki: boolean): void {
  const { rows, epoch, lostFactors } = restored;
  console.log(
    `${String(rows)} rows of ${snapshot.header.createdAt} are restored, as epoch ${String(epoch)}.`,
  );
  if (!isNewPki) return;
  console.log('The network has new keys now: identities and routers have to enroll again.');
  if (lostFactors > 0) console.log(`${counted(lostFactors, 'second factor')} lost.`);
}

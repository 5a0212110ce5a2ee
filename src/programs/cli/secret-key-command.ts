import 'reflect-metadata';
import { join } from 'node:path';
import { loadKeys } from '../controller/controller-keys.js';
import { preparePendingSecretKey, settlePendingSecretKey } from '../../trust/pki/index.js';
import { readKeyCheck } from '../../data/store/network-keys.js';
import { resealSecrets } from '../../data/store/reseal.js';
import { StartError } from '../../base/start-error.js';
import { usageError } from './command-error.js';
import type { Environment } from './controller-connection.js';
import { exclusively, type Offline } from './offline.js';
import type { CommandLine } from './options.js';
import { counted } from './plain.js';

/** `overgraph secret-key rotate` */
export async function secretKeyCommand({ operands }: CommandLine, env: Environment): Promise<void> {
  if (operands.length !== 1 || operands[0] !== 'rotate') {
    throw usageError('secret-key takes rotate');
  }
  await exclusively(env, rotate);
}

async function rotate({ config, databaseUrl }: Offline): Promise<void> {
  if (config.pki.secretKey !== undefined) {
    throw new StartError(
      'the secret key is set by OVERGRAPH_SECRET_KEY',
      'keep it as pki/secret.key in the data directory instead, and rotate then',
    );
  }
  const directory = join(config.dataDir, 'pki');
  const now = (): Date => new Date();
  const rule = { allowOpen: config.pki.allowOpenKeyFiles };
  await settlePendingSecretKey(directory, await readKeyCheck(databaseUrl), rule);
  const { secretKey } = await loadKeys(config, now, { isInUse: true });
  const pending = await preparePendingSecretKey(directory, secretKey, rule);
  const count = await resealSecrets({ url: databaseUrl, now: now(), ...pending });
  await settlePendingSecretKey(directory, pending.keyChecks[1], rule);
  console.log(`There is a new secret key, with ${counted(count, 'secret')} under it.`);
  console.log(
    'Bring it to other controllers with "overgraph pki export" and "overgraph pki import".',
  );
}

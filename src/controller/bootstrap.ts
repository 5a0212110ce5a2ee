import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultAuthPolicy, hashPassword } from '../auth/index.js';
import type { Config } from '../config.js';
import { builtinConfigTypes } from '../config-types/index.js';
import type { Catalog } from '../kernel/declare/catalog.js';
import type { NewRowOf } from '../kernel/declare/rows.js';
import { newId } from '../base/ids.js';
import { lockUntilCommit } from '../base/advisory-lock.js';
import type { Store, Transaction } from '../kernel/request/store-port.js';
import { insertIn, originOfController } from '../kernel/write/write.js';
import { postureCheckTypes } from '../posture/index.js';
import { hasDefaultAuthPolicy } from './auth-policy-table.js';

/** The file with a generated password of the default admin. */
export const passwordFile = (dataDir: string): string => join(dataDir, 'admin-password');

type NewRow = NewRowOf<string>;

/** The built-in records of every network, by resource. */
const BUILT_IN: readonly (readonly [resource: string, rows: readonly NewRow[]])[] = [
  ['AuthPolicy', [{ ...defaultAuthPolicy, isSystem: true }]],
  ['IdentityType', ['Default', 'Router'].map((name) => ({ id: name, name, isSystem: true }))],
  ['ConfigType', builtinConfigTypes.map((type) => ({ ...type }))],
  ['PostureCheckType', postureCheckTypes.map((type) => ({ ...type, isSystem: true }))],
];

/**
 * The number of an advisory lock, so that controllers that start together fill a new database once.
 */
const LOCK = 7_230_118_665;

export interface Bootstrapped {
  /** The password, when this start generated it. */
  readonly generatedPassword: string | undefined;
}

/** Fills a new database: built-in records and the default admin. Does nothing to one in use. */
export async function bootstrap(
  store: Store,
  catalog: Catalog,
  { admin, dataDir }: Pick<Config, 'admin' | 'dataDir'>,
  now: Date,
): Promise<Bootstrapped> {
  if (await hasDefaultAuthPolicy(store)) return { generatedPassword: undefined };
  const password = admin.password ?? randomBytes(15).toString('base64url');
  const passwordHash = await hashPassword(password);
  const isOurs = await store.write(originOfController(now), async (tx) => {
    await lockUntilCommit(tx, LOCK);
    if (await hasDefaultAuthPolicy(tx)) return false;
    await fill(tx, catalog, admin.username, passwordHash);
    // Before the commit, since the password is stored in no other place.
    if (admin.password === undefined) {
      await writeFile(passwordFile(dataDir), `${password}\n`, { mode: 0o600 });
    }
    return true;
  });
  const isGenerated = isOurs && admin.password === undefined;
  return { generatedPassword: isGenerated ? password : undefined };
}

async function fill(
  tx: Transaction,
  catalog: Catalog,
  username: string,
  passwordHash: string,
): Promise<void> {
  for (const [name, rows] of BUILT_IN) {
    for (const row of rows) await insertIn(tx, catalog.get(name), row);
  }
  const identityId = newId();
  await insertIn(tx, catalog.resources.Identity, {
    id: identityId,
    name: username,
    typeId: 'Default',
    authPolicyId: 'default',
    isAdmin: true,
    isDefaultAdmin: true,
  });
  await insertIn(tx, catalog.resources.Authenticator, {
    id: newId(),
    identityId,
    method: 'updb',
    username,
    passwordHash,
  });
}

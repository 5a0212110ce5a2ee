import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultAuthPolicy, hashPassword } from '../../trust/auth/index.js';
import type { Config } from '../configuration.js';
import { builtinConfigTypes } from '../../data/config-types/index.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { NewRowOf } from '../../kernel/declare/rows.js';
import type { Resource } from '../../kernel/declare/resource.js';
import { existingIds } from '../../kernel/read/entity-table.js';
import { newId } from '../../base/ids.js';
import { lockUntilCommit } from '../../base/advisory-lock.js';
import type { Queryable } from '../../base/sql.js';
import { authPolicies } from '../../data/rows/auth-policy/index.js';
import type { Store, Transaction } from '../../kernel/request/store-port.js';
import { insertIn, originOfController } from '../../kernel/write/write.js';
import { globalSettings } from '../../trust/oidc/index.js';
import { postureCheckTypes } from '../../trust/posture/index.js';

/** The file with a generated password of the default admin. */
export const passwordFile = (dataDir: string): string => join(dataDir, 'admin-password');

type NewRow = NewRowOf<string>;

/** The built-in records of every network, by resource. */
const BUILT_IN: readonly (readonly [resource: string, rows: readonly NewRow[]])[] = [
  ['AuthPolicy', [{ ...defaultAuthPolicy, isSystem: true }]],
  ['IdentityType', ['Default', 'Router'].map((name) => ({ id: name, name, isSystem: true }))],
  ['ConfigType', builtinConfigTypes.map((type) => ({ ...type }))],
  ['ControllerSetting', [{ ...globalSettings }]],
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

/**
 * Fills a new database: built-in records and the default admin. One in use gets the built-in records
 * that this release has added.
 */
export async function bootstrap(
  store: Store,
  catalog: Catalog,
  { admin, dataDir }: Pick<Config, 'admin' | 'dataDir'>,
  now: Date,
): Promise<Bootstrapped> {
  if (await authPolicies.hasDefault(store)) {
    await addMissingRecords(store, catalog, now);
    return { generatedPassword: undefined };
  }
  const password = admin.password ?? randomBytes(15).toString('base64url');
  const passwordHash = await hashPassword(password);
  const isOurs = await store.write(originOfController(now), async (tx) => {
    await lockUntilCommit(tx, LOCK);
    if (await authPolicies.hasDefault(tx)) return false;
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

/** Adds the records of resources that no client writes: others may be gone on purpose. */
async function addMissingRecords(store: Store, catalog: Catalog, now: Date): Promise<void> {
  if ((await missingRecords(store, catalog)).length === 0) return;
  await store.write(originOfController(now), async (tx) => {
    await lockUntilCommit(tx, LOCK);
    for (const { resource, row } of await missingRecords(tx, catalog)) {
      await insertIn(tx, resource, row);
    }
  });
}

async function missingRecords(
  store: Queryable,
  catalog: Catalog,
): Promise<{ readonly resource: Resource; readonly row: NewRow }[]> {
  const missing = [];
  for (const [name, rows] of BUILT_IN) {
    const resource = catalog.get(name);
    if (resource.verbs.size > 0) continue;
    const existing = await existingIds(
      store,
      resource,
      rows.map(({ id }) => id),
    );
    const ids = new Set(existing.map(({ id }) => id));
    missing.push(...rows.filter(({ id }) => !ids.has(id)).map((row) => ({ resource, row })));
  }
  return missing;
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

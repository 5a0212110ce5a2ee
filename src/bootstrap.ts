import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultAuthPolicy, hashPassword } from './auth/index.js';
import type { Config } from './config.js';
import { builtinConfigTypes } from './config-types/index.js';
import type { Catalog } from './kernel/catalog.js';
import { newId } from './kernel/ids.js';
import type { Row } from './kernel/row.js';
import { sql } from './kernel/sql.js';
import type { Origin, Store, Transaction } from './kernel/store-port.js';
import { insertIn } from './kernel/write.js';
import { postureCheckTypes } from './posture/index.js';

/** Where a generated password of the default admin is kept. */
export const passwordFile = (dataDir: string): string => join(dataDir, 'admin-password');

/** What every network has from the start, by resource. */
const BUILT_IN: readonly (readonly [resource: string, rows: readonly Row[]])[] = [
  ['AuthPolicy', [{ ...defaultAuthPolicy, isSystem: true }]],
  ['IdentityType', ['Default', 'Router'].map((name) => ({ id: name, name, isSystem: true }))],
  ['ConfigType', builtinConfigTypes.map((type) => ({ ...type }))],
  ['PostureCheckType', postureCheckTypes.map((type) => ({ ...type, isSystem: true }))],
];

/** Any fixed number: controllers that start together fill a new database once. */
const LOCK = 7_230_118_665;

export interface Bootstrapped {
  /** The password, when this start generated it. */
  readonly generatedPassword: string | undefined;
}

/** Fills a new database: built-in records and the default admin. Does nothing to one in use. */
export async function bootstrap(
  store: Store,
  catalog: Catalog,
  config: Pick<Config, 'admin' | 'dataDir'>,
  now: Date,
): Promise<Bootstrapped> {
  const password = config.admin.password ?? randomBytes(15).toString('base64url');
  const passwordHash = await hashPassword(password);
  const created = await store.write(ORIGIN(now), async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${LOCK}::bigint)::text as locked`);
    const [record] = await tx.query(sql`select id from auth_policy where id = 'default'`);
    if (record) return false;
    await fill(tx, catalog, config.admin.username, passwordHash);
    return true;
  });
  if (!created || config.admin.password !== undefined) return { generatedPassword: undefined };
  await writeFile(passwordFile(config.dataDir), `${password}\n`, { mode: 0o600 });
  return { generatedPassword: password };
}

const ORIGIN = (at: Date): Origin => ({
  actorId: null,
  apiSessionId: null,
  address: null,
  requestId: null,
  importId: null,
  at,
});

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
  await insertIn(tx, catalog.get('Identity'), {
    id: identityId,
    name: username,
    typeId: 'Default',
    authPolicyId: 'default',
    isAdmin: true,
    isDefaultAdmin: true,
  });
  await insertIn(tx, catalog.get('Authenticator'), {
    id: newId(),
    identityId,
    method: 'updb',
    username,
    passwordHash,
  });
}

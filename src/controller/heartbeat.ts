import type { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { recordCertificate } from '../enrollment/index.js';
import type { RequestContext } from '../kernel/request/context.js';
import { newId } from '../base/ids.js';
import { sql } from '../base/sql.js';
import { originOfController } from '../kernel/write/write.js';
import { fingerprint, isIssuedBy, notAfter, notBefore, type KeyMaterial } from '../pki/index.js';
import { warn } from './warn.js';

/** Well below the silence after which a controller counts as gone. */
const INTERVAL_MILLIS = 5_000;

interface HeartbeatOptions extends Pick<RequestContext, 'store' | 'now'> {
  readonly config: Config;
  readonly log: Logger;
  readonly keys: () => KeyMaterial;
}

export interface Heartbeat {
  /** Whether the last sign of life was stored: it shows best whether this controller can write. */
  readonly isBeating: () => boolean;
  readonly stop: () => Promise<void>;
}

const FAILED = 'the sign of life could not be stored';

/** Enters this controller into the list of controllers and keeps its sign of life fresh. */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat> {
  const { config, log, keys, store } = options;
  const id = await controllerId(config.dataDir);
  let registered = await register(id, options);
  let isBeating = true;
  const beat = async (): Promise<void> => {
    // The list shows the certificate, which may have been renewed.
    if (keys().server.leaf !== registered) registered = await register(id, options);
    await store.query(
      sql`update controller set last_seen_at = clock_timestamp() where id = ${id}::text`,
    );
    isBeating = true;
  };
  const timer = setInterval(() => {
    beat().catch((error: unknown) => {
      isBeating = false;
      warn(log, FAILED)(error);
    });
  }, INTERVAL_MILLIS);
  timer.unref();
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    // Gone at once, not only after a silence; a database that is gone too must not hold up the end.
    await store
      .query(sql`update controller set last_seen_at = 'epoch' where id = ${id}::text`)
      .catch(() => undefined);
  };
  return { isBeating: () => isBeating, stop };
}

/** Stays the same over restarts of one data directory. */
async function controllerId(dataDir: string): Promise<string> {
  const file = join(dataDir, 'controller-id');
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known.trim() !== '') return known.trim();
  const id = newId();
  await writeFile(file, `${id}\n`, { mode: 0o600 });
  return id;
}

/** Gives the certificate that it entered. */
async function register(
  id: string,
  { store, now, config, keys }: HeartbeatOptions,
): Promise<X509Certificate> {
  const { host, port } = config.advertise;
  const address = (path: string) => [
    { url: `https://${host}:${String(port)}${path}`, version: 'v1' },
  ];
  const addresses = JSON.stringify({
    'edge-client': address('/edge/client/v1'),
    'edge-management': address('/edge/management/v1'),
  });
  const { server, signer } = keys();
  const { leaf } = server;
  const print = fingerprint(leaf);
  await store.write(originOfController(now()), async (tx) => {
    const [known] = await tx.query(
      sql`select id from controller where fingerprint = ${print}::text`,
    );
    // Others issue what is configured. A data directory that was copied has the same certificate.
    if (!known && isIssuedBy(leaf, signer.cert)) {
      recordCertificate(tx, leaf, { type: 'Controller', id });
    }
    await tx.query(
      sql`insert into controller (id, created_at, updated_at, name, ctrl_address, cert_pem, fingerprint, api_addresses, not_before, not_after, last_joined_at, last_seen_at)
      values (${id}::text, ${now()}::timestamptz, ${now()}::timestamptz, ${`controller-${id}`}::text, ${config.ctrlAddress ?? null}::text,
        ${leaf.toString()}::text, ${print}::text, ${addresses}::jsonb,
        ${notBefore(leaf)}::timestamptz, ${notAfter(leaf)}::timestamptz, ${now()}::timestamptz, clock_timestamp())
      on conflict (id) do update set updated_at = excluded.updated_at, ctrl_address = excluded.ctrl_address,
        cert_pem = excluded.cert_pem, fingerprint = excluded.fingerprint, api_addresses = excluded.api_addresses,
        not_before = excluded.not_before, not_after = excluded.not_after,
        last_joined_at = excluded.last_joined_at, last_seen_at = excluded.last_seen_at returning id`,
    );
  });
  return leaf;
}

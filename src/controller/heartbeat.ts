import type { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { recordCertificate } from '../enrollment/index.js';
import type { RequestContext } from '../kernel/request/context.js';
import { newId } from '../base/ids.js';
import { originOfController } from '../kernel/write/write.js';
import { fingerprint, isIssuedBy, notAfter, notBefore, type KeyMaterial } from '../pki/index.js';
import {
  endSignOfLife,
  isControllerFingerprint,
  putController,
  storeSignOfLife,
} from './controller-table.js';
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
    await storeSignOfLife(store, id);
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
    // A database that is gone too must not hold up the end.
    await endSignOfLife(store, id).catch(() => undefined);
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
  const apiAddresses = {
    'edge-client': address('/edge/client/v1'),
    'edge-management': address('/edge/management/v1'),
  };
  const { server, signer } = keys();
  const { leaf } = server;
  const print = fingerprint(leaf);
  await store.write(originOfController(now()), async (tx) => {
    const isKnown = await isControllerFingerprint(tx, print);
    // Others issue what is configured. A data directory that was copied has the same certificate.
    if (!isKnown && isIssuedBy(leaf, signer.cert)) {
      recordCertificate(tx, leaf, { type: 'Controller', id });
    }
    await putController(
      tx,
      {
        id,
        ctrlAddress: config.ctrlAddress ?? null,
        certPem: leaf.toString(),
        fingerprint: print,
        apiAddresses,
        notBefore: notBefore(leaf),
        notAfter: notAfter(leaf),
      },
      now(),
    );
  });
  return leaf;
}

import type { X509Certificate } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../configuration.js';
import { controllers, signingKeys, type Vitals } from '../../data/rows/controller/index.js';
import { recordCertificate } from '../../trust/enrollment/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { originOfController } from '../../kernel/write/write.js';
import {
  fingerprint,
  isIssuedBy,
  notAfter,
  notBefore,
  type KeyMaterial,
} from '../../trust/pki/index.js';
import { apiAddresses } from './api-addresses.js';
import { controllerId } from './controller-id.js';
import { every } from './every.js';
import { warn } from './warn.js';

/** Well below the time after which a controller counts as stopped. */
const INTERVAL_MILLIS = 5_000;

interface HeartbeatOptions extends Pick<RequestContext, 'store' | 'now'> {
  readonly config: Config;
  readonly log: Logger;
  readonly keys: () => KeyMaterial;
  readonly vitals: () => Vitals;
}

export interface Heartbeat {
  /** The id of this controller. */
  readonly id: string;
  /** Whether the last heartbeat was stored, which shows that this controller can write. */
  readonly isBeating: () => boolean;
  readonly stop: () => Promise<void>;
}

const FAILED = 'the heartbeat could not be stored';

/** Registers this controller and stores its heartbeat at an interval. */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat> {
  const { config, log, keys, store, vitals } = options;
  const id = await controllerId(config.dataDir);
  let registered = await register(id, options);
  await controllers.beat(store, id, vitals());
  let isBeating = true;
  const beat = async (): Promise<void> => {
    // The registration has the certificate, which may have been renewed.
    if (keys().server.leaf !== registered) registered = await register(id, options);
    await controllers.beat(store, id, vitals());
    isBeating = true;
  };
  let lastBeat = Promise.resolve();
  const timer = every(
    INTERVAL_MILLIS,
    () => (lastBeat = beat()),
    (error) => {
      isBeating = false;
      warn(log, FAILED)(error);
    },
  );
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    // A beat stored after the end would let a stopped controller count as running. A missing
    // database must not delay the stop.
    await lastBeat.then(() => controllers.endHeartbeat(store, id)).catch(() => undefined);
  };
  return { id, isBeating: () => isBeating, stop };
}

/** Registers the controller and gives its certificate. */
async function register(
  id: string,
  { store, now, config, keys }: HeartbeatOptions,
): Promise<X509Certificate> {
  const { server, signer } = keys();
  const { leaf } = server;
  const print = fingerprint(leaf);
  await store.write(originOfController(now()), async (tx) => {
    const isKnown = await controllers.hasFingerprint(tx, print);
    // Another authority issues a configured certificate. A copied data directory has the same
    // certificate.
    if (!isKnown && isIssuedBy(leaf, signer.cert)) {
      recordCertificate(tx, leaf, { type: 'Controller', id });
    }
    await controllers.put(
      tx,
      {
        id,
        ctrlAddress: config.ctrlAddress,
        certPem: leaf.toString(),
        fingerprint: print,
        apiAddresses: apiAddresses(config),
        notBefore: notBefore(leaf),
        notAfter: notAfter(leaf),
      },
      now(),
    );
    await signingKeys.register(tx, id, { kid: print, certPem: leaf.toString() }, now());
  });
  return leaf;
}

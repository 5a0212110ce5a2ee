import type { Logger } from 'pino';
import { every } from './every.js';
import { fingerprint, type LiveKeys } from '../pki/index.js';

/** How soon a replaced file or a rollover counts in a running controller. */
const INTERVAL_MILLIS = 60_000;

/** Renews the server certificate in time, and takes up what is changed in the key files. */
export function startKeyUpkeep(keys: LiveKeys, log: Logger): () => Promise<void> {
  keys.onChange(({ server, rootFingerprint }) => {
    log.info(
      { certificate: fingerprint(server.leaf), until: server.leaf.validTo, root: rootFingerprint },
      'key material was taken up',
    );
  });
  const report = faultReporter(log);
  const timer = every(
    INTERVAL_MILLIS,
    async () => {
      await keys.refresh();
      report(undefined);
    },
    report,
  );
  return () => {
    clearInterval(timer);
    return Promise.resolve();
  };
}

/** Tells a fault once, not every minute until somebody mends it; undefined says that all is well. */
function faultReporter(log: Logger): (fault: unknown) => void {
  let told = '';
  return (fault) => {
    const text = fault instanceof Error ? fault.message : '';
    if (fault !== undefined && text !== told) {
      log.error({ err: fault }, 'key material can not be taken up; the old one stays in force');
    }
    told = text;
  };
}

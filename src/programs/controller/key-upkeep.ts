import type { Logger } from 'pino';
import { every } from './every.js';
import type { TokenKeys } from '../../trust/auth/index.js';
import { fingerprint, type LiveKeys } from '../../trust/pki/index.js';
import { warn } from './warn.js';

/** Interval at which a running controller checks for replaced files and rollovers. */
const INTERVAL_MILLIS = 60_000;

const SIGNING_MILLIS = 1_000;
const NOT_READ = 'the keys that sign tokens could not be read';

/** Lets a new key sign when routers have it: each process of a controller signs. */
export async function startSigning(keys: TokenKeys, log: Logger): Promise<() => Promise<void>> {
  await keys.refresh();
  const timer = every(SIGNING_MILLIS, () => keys.refresh(), warn(log, NOT_READ));
  return () => {
    clearInterval(timer);
    return Promise.resolve();
  };
}

/** Renews the server certificate in time, and loads changed key files. */
export function startKeyUpkeep(keys: LiveKeys, log: Logger): () => Promise<void> {
  keys.onChange(({ server, rootFingerprint }) => {
    log.info(
      { certificate: fingerprint(server.leaf), until: server.leaf.validTo, root: rootFingerprint },
      'new key material was loaded',
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

/** Logs a repeated fault once, not every minute; undefined reports a success. */
function faultReporter(log: Logger): (fault: unknown) => void {
  let lastMessage = '';
  return (fault) => {
    const text = fault instanceof Error ? fault.message : '';
    if (fault !== undefined && text !== lastMessage) {
      log.error({ err: fault }, 'key material can not be loaded; the old one stays in use');
    }
    lastMessage = text;
  };
}

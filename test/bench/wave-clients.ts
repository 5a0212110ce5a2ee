import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { ClientCertificate } from '../trust/auth/certificates.js';
import { anew } from './oidc.js';
import { logInOverOidc, Refusal } from './oidc-login.js';

/*
 * The clients of a wave of logins, in a process of their own: each logs in once by its certificate, over a
 * connection of its own, and comes again after a refusal that says when.
 * Arguments: origin of the controller, file with the certificates, seconds over which the logins begin.
 */

export interface WaveReport {
  readonly logins: number;
  readonly seconds: number;
  /** Milliseconds of each login, from its first attempt on. */
  readonly millis: readonly number[];
  /** Refusals that said when to come again. */
  readonly deferred: number;
  /** Logins that ended in another way, with the first reasons. */
  readonly failed: number;
  readonly reasons: readonly string[];
}

const MAX_ATTEMPTS = 20;
const MAX_REASONS = 5;

const [origin = '', file = '', duration = ''] = process.argv.slice(2);

interface Client {
  readonly secureContext: SecureContext;
}

interface Wave {
  readonly millis: number[];
  readonly reasons: string[];
  deferred: number;
  failed: number;
}

async function attempt(client: Client, wave: Wave): Promise<boolean> {
  for (let n = 0; n < MAX_ATTEMPTS; n += 1) {
    try {
      await anew(origin, client, (asked) => logInOverOidc(asked, 'cert'));
      return true;
    } catch (error) {
      if (!(error instanceof Refusal) || error.retryAfter === undefined) throw error;
      wave.deferred += 1;
      await sleep(error.retryAfter * 1000);
    }
  }
  throw new Error('refused all the time');
}

async function logIn(client: Client, wave: Wave): Promise<void> {
  const began = performance.now();
  try {
    await attempt(client, wave);
    wave.millis.push(performance.now() - began);
  } catch (error) {
    wave.failed += 1;
    if (wave.reasons.length < MAX_REASONS) wave.reasons.push(String(error));
  }
}

/** Begins the logins at an even pace, whether the earlier ones are done or not. */
async function run(clients: readonly Client[]): Promise<WaveReport> {
  const wave: Wave = { millis: [], reasons: [], deferred: 0, failed: 0 };
  const began = performance.now();
  const pause = (Number(duration) * 1000) / clients.length;
  const running: Promise<void>[] = [];
  for (const [place, client] of clients.entries()) {
    running.push(logIn(client, wave));
    await sleep(Math.max(0, began + (place + 1) * pause - performance.now()));
  }
  await Promise.all(running);
  const seconds = (performance.now() - began) / 1000;
  return { ...wave, logins: clients.length, seconds };
}

const certificates = JSON.parse(await readFile(file, 'utf8')) as ClientCertificate[];
// Each client of a network reads its own certificate and key: here that would be half of the work of them all.
const clients = certificates.map((certificate) => ({
  secureContext: createSecureContext(certificate),
}));
process.on('message', () => {
  void run(clients).then((report) => process.send?.(report));
});
console.log('ready');

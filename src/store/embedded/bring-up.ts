import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../start-error.js';
import type { Binaries } from './binaries.js';
import { isLoopbackOnly, newEndpoint, password, type Endpoint } from './endpoint.js';
import type { Home } from './home.js';
import type { EmbeddedLog } from './log.js';
import {
  ask,
  follow,
  launch,
  readPidFile,
  removeStaleFiles,
  saidBy,
  startLog,
  type PidFile,
  type Postmaster,
} from './postmaster.js';
import { isRunning } from './process-info.js';

/** What one embedded server is started from. */
export interface Site {
  readonly home: Home;
  readonly binaries: Binaries;
  readonly log: EmbeddedLog;
  readonly settings: Readonly<Record<string, string>>;
}

export interface Answering {
  readonly postmaster: Postmaster;
  readonly endpoint: Endpoint;
  readonly adopted: boolean;
}

/** For the remains of a crashed server to go away, or a former one to answer or end. */
const CONTEND_MS = 30_000;
/** For our own server to replay its log after a crash. */
const RECOVER_MS = 300_000;
const POLL_MS = 25;

/** Said by a server that finds another one, or what is left of it; time cures that. */
const TRANSIENT =
  /lock file .* already exists|shared memory block .* still in use|database system is starting up/;

/**
 * Adopts the server that a killed controller left running, or starts one; returns when it
 * answers. `known` is where a server answered before, so that its URL stays valid.
 * An abort ends a half-started server and throws.
 */
export async function bringUp(
  site: Site,
  known: Endpoint | undefined,
  abort: AbortSignal,
): Promise<Answering> {
  const deadline = Date.now() + CONTEND_MS;
  let obstacle = '';
  for (let pause = 100; Date.now() < deadline; pause = Math.min(2 * pause, 2000)) {
    const former = await findFormer(site);
    if (former === undefined) {
      const endpoint = known ?? (await newEndpoint(site.home));
      const started = await start(site, endpoint, abort);
      if (typeof started !== 'string') {
        return { postmaster: started, endpoint, adopted: false };
      }
      obstacle = started;
    } else if (typeof former !== 'number') {
      return former;
    } else {
      obstacle = `process ${former} holds it and does not answer`;
    }
    await delay(pause, undefined, { signal: abort });
  }
  throw new StartError(
    `the embedded database in ${site.home.cluster} can not be started (${obstacle})`,
    'end the process that uses it, or restart the machine',
  );
}

/** A server left running, the id of one that does not answer yet, or undefined. */
async function findFormer(site: Site): Promise<Answering | number | undefined> {
  const file = await readPidFile(site.home);
  if (!file || !(await isRunning(file.pid))) {
    if (file) await removeStaleFiles(site.home, file);
    return undefined;
  }
  const endpoint = await endpointOf(site.home, file);
  if (endpoint && (await ask(site.home, endpoint)) === 'ready') {
    site.log.info(`using the embedded PostgreSQL left running with process id ${file.pid}`);
    return { postmaster: follow(file.pid), endpoint, adopted: true };
  }
  return (await removeStaleFiles(site.home, file)) ? undefined : file.pid;
}

export async function endpointOf(home: Home, file: PidFile): Promise<Endpoint | undefined> {
  if (isLoopbackOnly) {
    return { kind: 'loopback', port: file.port, password: await password(home) };
  }
  const directory = file.socketDirectory;
  if (!existsSync(directory)) return undefined;
  return { kind: 'socket', directory, temporary: dirname(directory) !== home.path };
}

/** A server that answers, or why it ended where trying again can help. */
async function start(
  site: Site,
  endpoint: Endpoint,
  abort: AbortSignal,
): Promise<Postmaster | string> {
  const postmaster = await launch(site.home, site.binaries, endpoint, site.settings);
  const deadline = Date.now() + RECOVER_MS;
  for (;;) {
    const ended = await Promise.race([postmaster.ended, delay(POLL_MS)]);
    if (ended !== undefined) {
      return explainEnd(site.home, ended, await saidBy(site.home, postmaster.pid));
    }
    if ((await ask(site.home, endpoint)) === 'ready') return postmaster;
    if (!abort.aborted && Date.now() < deadline) continue;
    process.kill(postmaster.pid, 'SIGQUIT');
    await postmaster.ended;
    abort.throwIfAborted();
  }
}

function explainEnd(home: Home, ended: string, said: string): string {
  const fatal = said.split('\n').filter((line) => /FATAL|PANIC|postgres:/.test(line));
  const reason = fatal.at(-1)?.replace(/^.*?(FATAL|PANIC):\s*/, '') ?? ended;
  if (TRANSIENT.test(said)) return reason;
  throw new StartError(
    `the embedded database in ${home.cluster} does not start (${reason})`,
    `see ${startLog(home)} and ${join(home.log, 'postgres-*.log')}`,
  );
}

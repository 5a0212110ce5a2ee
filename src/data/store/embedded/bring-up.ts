import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../../../base/start-error.js';
import { ask } from './ask.js';
import type { Binaries } from './binaries.js';
import { isLoopbackOnly, newEndpoint, password, type Endpoint } from './endpoint.js';
import type { Home } from './home.js';
import type { EmbeddedLog } from './log.js';
import {
  isLive,
  readPidFile,
  removeEmptyFiles,
  removeStaleFiles,
  type PidFile,
} from './pid-file.js';
import { follow, launch, outputOf, startLog, type Postmaster } from './postmaster.js';

/** The facts from which one embedded server is started. */
export interface Site {
  readonly home: Home;
  readonly binaries: Binaries;
  readonly log: EmbeddedLog;
  readonly settings: Readonly<Record<string, string>>;
}

export interface RunningServer {
  readonly postmaster: Postmaster;
  readonly endpoint: Endpoint;
  readonly adopted: boolean;
}

/** Time for the remains of a crashed server to disappear, or for a former server to answer or end. */
const CONTEND_MS = 30_000;
/** Time for a server to replay its log after a crash, or to end. */
const RECOVER_MS = 300_000;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 400;
const POLL_MS = 25;

/**
 * The codes of a server that finds the lock file or the shared memory of another one, or that starts;
 * a later attempt can succeed.
 */
const TRANSIENT = /^.*\] (?:F0001|57P03) FATAL:/m;

/**
 * Adopts the server that a killed controller left running, or starts one; returns when it answers.
 * `previous` is the endpoint of an earlier server, so that its URL stays valid. An abort ends a
 * half-started server and throws.
 */
export async function bringUp(
  site: Site,
  previous: Endpoint | undefined,
  abort: AbortSignal,
): Promise<RunningServer> {
  const startedAt = Date.now();
  let obstacle: Obstacle | undefined;
  let pause = FIRST_PAUSE_MS;
  do {
    const former = await findFormer(site);
    const next = former ?? (await start(site, previous, abort));
    if ('postmaster' in next) return next;
    if (next.reason !== obstacle?.reason) site.log.info(`waiting to start (${next.reason})`);
    obstacle = next;
    await delay(pause, undefined, { signal: abort });
    pause = Math.min(2 * pause, MAX_PAUSE_MS);
  } while (Date.now() - startedAt < (obstacle.isBusy ? RECOVER_MS : CONTEND_MS));
  throw new StartError(
    `the embedded database in ${site.home.cluster} can not be started (${obstacle.reason})`,
    'end the process that uses it, or restart the machine',
  );
}

/** A temporary reason why no server can start. */
interface Obstacle {
  readonly reason: string;
  /** Another server replays its log or shuts down. */
  readonly isBusy: boolean;
}

/** Finds a server that was left running, or one that does not answer yet. */
async function findFormer(site: Site): Promise<RunningServer | Obstacle | undefined> {
  const { home, log } = site;
  const file = await readPidFile(home);
  if (!file) {
    await removeEmptyFiles(home);
    return undefined;
  }
  if (!(await isLive(home, file))) {
    await removeStaleFiles(home, file);
    return undefined;
  }
  const endpoint = await endpointOf(home, file);
  const answer = endpoint ? await ask(home, endpoint) : 'none';
  if (endpoint && answer === 'ready') {
    log.info(`using the embedded PostgreSQL left running with process id ${file.pid}`);
    return { postmaster: follow(file.pid), endpoint, adopted: true };
  }
  const reason = `process ${file.pid} holds it and does not answer`;
  return { reason, isBusy: answer === 'starting' };
}

export async function endpointOf(home: Home, file: PidFile): Promise<Endpoint | undefined> {
  if (isLoopbackOnly) {
    return { kind: 'loopback', port: file.port, password: await password(home) };
  }
  const directory = file.socketDirectory;
  if (!existsSync(directory)) return undefined;
  return { kind: 'socket', directory, temporary: dirname(directory) !== home.path };
}

/** Starts a server; gives the reason if it ended and another attempt can help. */
async function start(
  { home, binaries, settings }: Site,
  previous: Endpoint | undefined,
  abort: AbortSignal,
): Promise<RunningServer | Obstacle> {
  const endpoint = previous ?? (await newEndpoint(home));
  const postmaster = await launch(home, binaries, endpoint, settings);
  const deadline = Date.now() + RECOVER_MS;
  for (;;) {
    const ended = await Promise.race([postmaster.ended, delay(POLL_MS)]);
    if (ended !== undefined) {
      const reason = explainEnd(home, ended, await outputOf(home, postmaster.pid));
      return { reason, isBusy: false };
    }
    if (await answers(home, endpoint, postmaster)) return { postmaster, endpoint, adopted: false };
    if (!abort.aborted && Date.now() < deadline) continue;
    process.kill(postmaster.pid, 'SIGQUIT');
    await postmaster.ended;
    abort.throwIfAborted();
  }
}

/**
 * Whether the server answers. It connects only to a server that reports to be ready, since others
 * log each attempt.
 */
async function answers(home: Home, endpoint: Endpoint, { pid }: Postmaster): Promise<boolean> {
  const file = await readPidFile(home);
  return file?.pid === pid && file.isReady && (await ask(home, endpoint)) === 'ready';
}

function explainEnd(home: Home, ended: string, output: string): string {
  const fatal = output.split('\n').filter((line) => /FATAL|PANIC|postgres:/.test(line));
  const reason = fatal.at(-1)?.replace(/^.*?(FATAL|PANIC):\s*/, '') ?? ended;
  if (TRANSIENT.test(output)) return reason;
  throw new StartError(
    `the embedded database in ${home.cluster} does not start (${reason})`,
    `see ${startLog(home)} and ${join(home.log, 'postgres-*.log')}`,
  );
}

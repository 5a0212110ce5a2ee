import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { lockDirectory } from './directory-lock.js';
import { endPostmaster } from './end-postmaster.js';
import { isLive, readPidFile } from './pid-file.js';
import { follow } from './postmaster.js';
import { watchFile, type WatchOrder } from './watch-order.js';

/*
 * The process of an `OrphanWatch`. It loads nothing but what it needs, since it waits beside every
 * controller with an embedded PostgreSQL, and holds no secret.
 */

const LOOK_MS = 1_000;

const order = JSON.parse(process.argv[2] ?? '') as WatchOrder;

/** The controller writes nothing: the end of the pipe is its own end. */
async function ownerIsGone(): Promise<void> {
  process.stdin.on('error', () => undefined).resume();
  await once(process.stdin, 'close');
}

/** Another watch has taken over, or there is nothing left to watch over. */
async function isReplaced(): Promise<boolean> {
  const newest = await readFile(watchFile(order.home), 'utf8').catch(() => '');
  return newest !== order.token;
}

/**
 * False while there is something left to do: a controller holds the server, which will bring a watch
 * of its own, or the server was told to end.
 */
async function isSettled(): Promise<boolean> {
  const lock = await lockDirectory(order.home, 'watch');
  if (typeof lock === 'number') return false;
  try {
    return (await isReplaced()) || !(await endServer());
  } finally {
    await lock.release();
  }
}

/** Whether there was one. */
async function endServer(): Promise<boolean> {
  const file = await readPidFile(order);
  if (!file || !(await isLive(order, file))) return false;
  const site = {
    home: order,
    binaries: order,
    // Nobody reads what it says; PostgreSQL's own log tells of its end.
    log: { warn: () => undefined },
  };
  await endPostmaster(follow(file.pid), site);
  return true;
}

await ownerIsGone();
const adoptedBy = Date.now() + order.adoptionMs;
while (!(await isReplaced())) {
  if (Date.now() >= adoptedBy && (await isSettled().catch(() => false))) break;
  await delay(Math.min(LOOK_MS, order.adoptionMs));
}
process.exit();

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { lockDirectory } from './directory-lock.js';
import { endPostmaster } from './end-postmaster.js';
import { isLive, readPidFile } from './pid-file.js';
import { follow } from './postmaster.js';
import { watchFile, type WatchOrder } from './watch-order.js';

/*
 * The process of an `OrphanWatch`. It loads few modules, since it runs beside every controller with
 * an embedded PostgreSQL where there is no shell to wait for it. It holds no secret. Where a shell
 * waits, the program starts after the end of the controller. It may then be that of a newer release.
 */

const LOOK_MS = 1_000;

const order = JSON.parse(process.argv[2] ?? '') as WatchOrder;

/**
 * Waits for the end of the pipe, which is the end of the controller; the controller writes nothing.
 */
async function ownerIsGone(): Promise<void> {
  process.stdin.on('error', () => undefined).resume();
  await once(process.stdin, 'close');
}

/** Whether another watch has replaced this one, or the server has ended. */
async function isReplaced(): Promise<boolean> {
  const newest = await readFile(watchFile(order.home), 'utf8').catch(() => '');
  return newest !== order.token;
}

/**
 * Ends the server if no controller uses it. False while it has to look again: a controller has the
 * lock and will start its own watch, or the server was told to end.
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

/** Ends the server, if there is one; true if there was. */
async function endServer(): Promise<boolean> {
  const file = await readPidFile(order);
  if (!file || !(await isLive(order, file))) return false;
  const site = {
    home: order,
    binaries: order,
    // This process has no log; PostgreSQL's own log records the end.
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

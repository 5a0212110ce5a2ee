/** Two commands started at once in one checkout must not install or build over each other. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root, say } from './run.mjs';

const owner = process.getuid?.() ?? '';
const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
const path = join(tmpdir(), `overgraph-prepare-${owner}-${name}.lock`);

export async function exclusively(work) {
  for (let waits = 0; !acquireLock(); waits += 1) {
    if (waits === 20) say('waiting for another command that prepares this checkout ...');
    await delay(100);
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

function acquireLock() {
  try {
    const file = openSync(path, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned()) rmSync(path, { force: true });
    return false;
  }
}

/** Whether the process of the lock has ended; a lock without a number is new. */
function isAbandoned() {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    if (pid === 0) return Date.now() - statSync(path).mtimeMs > 5000;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const SAMPLE_MS = 2_000;
const IDLE_SHARE = 0.8;

/** Whether the processors have little else to do, looked at for at most `patienceMs`. */
export async function isMachineIdle(patienceMs: number): Promise<boolean> {
  for (const deadline = Date.now() + patienceMs; ;) {
    if ((await idleShare()) >= IDLE_SHARE) return true;
    if (Date.now() >= deadline) return false;
  }
}

async function idleShare(): Promise<number> {
  const before = processorTimes();
  await delay(SAMPLE_MS);
  const after = processorTimes();
  return (after.idle - before.idle) / (after.total - before.total);
}

function processorTimes(): { readonly idle: number; readonly total: number } {
  let [idle, total] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    for (const spent of Object.values(times)) total += spent;
  }
  return { idle, total };
}

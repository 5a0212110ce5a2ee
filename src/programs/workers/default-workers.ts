import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

/** What a machine or a container gives to a controller. */
export interface MachineLimits {
  readonly cores: number;
  readonly memoryBytes: number;
}

const MAX_WORKERS = 8;
/** The memory of one process with its share of the database server. */
const BYTES_OF_WORKER = 512 * 1024 * 1024;

/** The number of processes by default: one for each core, as far as the memory allows it. */
export function defaultWorkers({ cores, memoryBytes } = machineLimits()): number {
  const byMemory = Math.floor(memoryBytes / BYTES_OF_WORKER);
  return Math.max(1, Math.min(MAX_WORKERS, Math.ceil(cores), byMemory));
}

function machineLimits(): MachineLimits {
  const constrained = process.constrainedMemory();
  return {
    cores: Math.min(availableParallelism(), quotaIn(quotaText()) ?? Infinity),
    // Without a limit it is 0 or a number far above the memory of the machine.
    memoryBytes: constrained > 0 ? Math.min(totalmem(), constrained) : totalmem(),
  };
}

/** `cpu.max` of a container: `<quota> <period>` in microseconds, or `max <period>`. */
function quotaText(): string {
  try {
    return readFileSync('/sys/fs/cgroup/cpu.max', 'utf8');
  } catch {
    return '';
  }
}

/** The cores that a quota allows; undefined without one. Node 20 does not regard quotas itself. */
export function quotaIn(text: string): number | undefined {
  const [quota, period] = text.trim().split(' ').map(Number);
  return quota !== undefined && period !== undefined && quota > 0 && period > 0
    ? quota / period
    : undefined;
}

import { existsSync, readFileSync } from 'node:fs';
import type { TestController } from '../support/controller.js';

const MILLIS_PER_TICK = 10;
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/**
 * The processor time that the main thread of a process has used, where the system tells. On a busy
 * machine it says what the process did, where the time that went by says what others did.
 */
export class MainThread {
  readonly #path: string;

  constructor(pid: number) {
    this.#path = `/proc/${String(pid)}/task/${String(pid)}/stat`;
  }

  get isKnown(): boolean {
    return existsSync(this.#path);
  }

  /** Milliseconds since its start; 0 where nothing is known. */
  get used(): number {
    try {
      const text = readFileSync(this.#path, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * MILLIS_PER_TICK;
    } catch {
      return 0;
    }
  }
}

/** Memory in MiB, and seconds of the processor since the start. */
export interface Vitals {
  readonly heap: number;
  readonly resident: number;
  readonly cpu: number;
}

export type Metrics = ReadonlyMap<string, number>;

/** For a controller under test: its requests may end any session. */
export const METRICS_TOKEN = 'metrics-of-a-controller-under-test';

/** The metrics of a controller that has the token, by name and labels. */
export async function metricsOf(controller: TestController): Promise<Metrics> {
  const { status, text } = await controller.send('GET', '/metrics', {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  if (status !== 200) throw new Error(`metrics: ${String(status)} ${text}`);
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, number] => {
        const blank = line.lastIndexOf(' ');
        return [line.slice(0, blank), Number(line.slice(blank + 1))];
      }),
  );
}

const MIB = 2 ** 20;

export const vitalsIn = (metrics: Metrics): Vitals => ({
  heap: (metrics.get('nodejs_heap_size_used_bytes') ?? 0) / MIB,
  resident: (metrics.get('process_resident_memory_bytes') ?? 0) / MIB,
  cpu: metrics.get('process_cpu_seconds_total') ?? 0,
});

const REQUESTS = /^overgraph_requests_total\{door="(\w+)",operation="(\w+)",status="(\d+)"\}$/;

/** How often each operation was answered with each status, as the controller counted. */
export function answersIn(metrics: Metrics): Map<string, Map<number, number>> {
  const answers = new Map<string, Map<number, number>>();
  for (const [name, count] of metrics) {
    const [, door = '', operation = '', status = ''] = REQUESTS.exec(name) ?? [];
    if (door === '') continue;
    const key = `${door} ${operation}`;
    const byStatus = answers.get(key) ?? new Map<number, number>();
    answers.set(key, byStatus.set(Number(status), count));
  }
  return answers;
}

import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import type { Load } from './load.js';
import type { Stage } from './stage.js';

/** Milliseconds of processor time of a controller and of its database, for one request. */
export interface ProcessorTime {
  readonly controller: number;
  /** Undefined where the system does not tell. */
  readonly database: number | undefined;
}

const MILLIS_PER_TICK = 10;
const [PARENT, USER_TIME, SYSTEM_TIME] = [1, 11, 12];

/**
 * Milliseconds of processor time that the connections of a database have taken; undefined where
 * /proc does not tell.
 */
async function databaseTime(databaseUrl: string): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const times = await Promise.all(rows.map(({ pid }) => processTime(pid)));
    return times.reduce<number>((sum, time) => sum + time, 0);
  } catch {
    return undefined;
  } finally {
    await client.end();
  }
}

/** Sums the processor time of a controller and its database over loads. */
export class ProcessorMeter {
  #controller = 0;
  #database: number | undefined = 0;
  #answers = 0;

  constructor(private readonly stage: Pick<Stage, 'probe' | 'databaseUrl'>) {}

  /** Runs a load and adds its time. */
  async measure(load: () => Promise<Load>): Promise<Load> {
    const [cpu, databaseCpu] = await this.times();
    const done = await load();
    const [cpuAfter, databaseCpuAfter] = await this.times();
    this.#controller += cpuAfter - cpu;
    this.#answers += done.times.length;
    if (databaseCpu === undefined || databaseCpuAfter === undefined) this.#database = undefined;
    else if (this.#database !== undefined) {
      this.#database += Math.max(0, databaseCpuAfter - databaseCpu);
    }
    return done;
  }

  get perAnswer(): ProcessorTime {
    return {
      controller: this.#controller / this.#answers,
      database: this.#database === undefined ? undefined : this.#database / this.#answers,
    };
  }

  private async times(): Promise<[controller: number, database: number | undefined]> {
    return [(await this.stage.probe()).cpu, await databaseTime(this.stage.databaseUrl)];
  }
}

/** Milliseconds of processor time, and bytes of memory, of a process. */
export interface ProcessFacts {
  readonly cpu: number;
  /** Without what it shares with others: the program, which the first process holds as well. */
  readonly ownMemory: number;
}

/** The processes that a process has started; none where /proc does not tell. */
export async function childrenOf(parent: number): Promise<ProcessFacts[]> {
  const names = await readdir('/proc').catch(() => []);
  const all = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      // A process may end meanwhile.
      .map(async (pid) => ({ pid, fields: await statOf(pid).catch(() => []) })),
  );
  const children = all.filter(({ fields }) => Number(fields[PARENT]) === parent);
  return Promise.all(
    children.map(async ({ pid, fields }) => ({
      cpu: cpuIn(fields),
      ownMemory: await ownMemoryOf(pid),
    })),
  );
}

async function ownMemoryOf(pid: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const kilobytes = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm)];
  return kilobytes.reduce((sum, [, count]) => sum + 1024 * Number(count), 0);
}

const processTime = async (pid: number): Promise<number> => cpuIn(await statOf(String(pid)));

/** The fields of /proc/<pid>/stat after the name of the program. */
const statOf = async (pid: string): Promise<string[]> =>
  (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];

const cpuIn = (fields: readonly string[]): number =>
  (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * MILLIS_PER_TICK;

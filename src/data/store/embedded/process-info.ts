import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { errorProperty } from './error-property.js';

/**
 * The start time of a running process, as a text that is unique for its process id. `''` when the
 * platform does not tell; undefined when the process does not run or is a zombie.
 */
export async function startOfProcess(pid: number): Promise<string | undefined> {
  if (!answersSignals(pid)) return undefined;
  if (process.platform === 'linux') return startFromProc(pid);
  if (process.platform === 'darwin') return startFromPs(pid);
  return '';
}

/** The start time of this process; never `''`. */
export async function startOfThisProcess(): Promise<string> {
  const start = await startOfProcess(process.pid);
  return start === undefined || start === '' ? String(Math.round(performance.timeOrigin)) : start;
}

export async function isRunning(pid: number): Promise<boolean> {
  return (await startOfProcess(pid)) !== undefined;
}

/** The program's name in the kernel; undefined if the platform does not tell. */
export async function programOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const text = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => undefined);
  return text?.trim();
}

/**
 * Whether a directory is the working directory of a process; undefined if the platform does not
 * tell.
 */
export async function worksIn(pid: number, directory: string): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const [own, given] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(directory)]);
    return own.dev === given.dev && own.ino === given.ino;
  } catch {
    return undefined;
  }
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorProperty(error, 'code') === 'EPERM';
  }
}

async function startFromProc(pid: number): Promise<string | undefined> {
  let stat: string;
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return answersSignals(pid) ? '' : undefined;
  }
  // The program's name is in parentheses and may contain any character; in proc(5) the state is
  // field 3, and the start in ticks since boot is field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X' || ticks === undefined) return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '');
  return `${boot.slice(0, 8)}.${ticks}`;
}

async function startFromPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(
      '/bin/ps',
      ['-o', 'stat=,lstart=', '-p', `${pid}`],
      {
        env: { LC_ALL: 'C' },
      },
    );
    const [state = '', ...start] = stdout.trim().split(/\s+/);
    return state.startsWith('Z') ? undefined : start.join('.').replaceAll(':', '.');
  } catch {
    return answersSignals(pid) ? '' : undefined;
  }
}

import { readdir, readFile } from 'node:fs/promises';

/** Processes as /proc tells of them: there is one on Linux alone. */
export const hasProcesses = process.platform === 'linux';

/** Those whose command line holds all the texts. */
export async function processesWith(...texts: string[]): Promise<number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    names.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return names.flatMap((pid, i) =>
    texts.every((text) => lines[i]?.includes(text)) ? [Number(pid)] : [],
  );
}

/** What watches over the embedded PostgreSQL of a data directory. */
export const watchesOver = (dataDir: string): Promise<number[]> =>
  processesWith('orphan-watch-process', dataDir);

/** The processes that a process has started. */
export async function childrenOf(pid: number): Promise<number[]> {
  const path = `/proc/${String(pid)}/task/${String(pid)}/children`;
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

export function killAnyway(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDataDir } from '../../../src/data/store/data-dir.js';
import { startOfProcess } from '../../../src/data/store/embedded/process-info.js';

let folder: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-data-dir-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** Another process, and the name of the lock file that it would have. */
async function otherProcess() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  children.push(child);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  return { child, pid, lock: `controller-${pid}-${(await startOfProcess(pid)) ?? ''}.lock` };
}

const OPENER = `
  import { openDataDir } from '${new URL('../../../dist/src/data/store/data-dir.js', import.meta.url).href}';
  const result = await openDataDir(process.argv[1]).then(() => 'held', (e) => e.cause);
  console.log(result);
  if (result === 'held') setInterval(() => {}, 1000);
`;

async function openElsewhere(directory: string): Promise<string> {
  const args = ['--input-type=module', '-e', OPENER, directory];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return line.toString().trim();
}

describe('data directory', () => {
  it('is created for its owner alone', async () => {
    const path = join(folder, 'a', 'b');
    const dataDir = await openDataDir(path);
    expect(dataDir.path).toBe(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await dataDir.release();
    expect(await readdir(path)).toEqual([]);
  });

  it('is refused to a second opener until released', async () => {
    const first = await openDataDir(folder);
    await expect(openDataDir(folder)).rejects.toMatchObject({
      name: 'StartError',
      cause: `data directory ${folder} is in use by the controller with process id ${process.pid}`,
    });
    await first.release();
    await (await openDataDir(folder)).release();
  });

  it('is refused while another process holds it, naming that process', async () => {
    const { pid, lock } = await otherProcess();
    await writeFile(join(folder, lock), '');
    await expect(openDataDir(folder)).rejects.toMatchObject({
      cause: expect.stringContaining(`process id ${pid}`),
    });
    expect(await readdir(folder)).toEqual([lock]);
  });

  it('is taken over from a process that was killed', async () => {
    const { child, lock } = await otherProcess();
    await writeFile(join(folder, lock), '');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const dataDir = await openDataDir(folder);
    expect(await readdir(folder)).not.toContain(lock);
    await dataDir.release();
  });

  it('is taken over from a process whose number another one has now', async () => {
    const { pid } = await otherProcess();
    await writeFile(join(folder, `controller-${pid}-ffffffff.1.lock`), '');
    await (await openDataDir(folder)).release();
  });

  it('goes to exactly one of several that start together', async () => {
    const { pid } = await otherProcess();
    await writeFile(join(folder, `controller-${pid}-ffffffff.1.lock`), '');
    const results = await Promise.all(Array.from({ length: 6 }, () => openElsewhere(folder)));
    expect(results.filter((result) => result === 'held')).toHaveLength(1);
    expect(results.filter((result) => result.includes('is in use by'))).toHaveLength(5);
  });

  it.each([
    ['a file', 'file', 'is not a directory'],
    ['below a file', 'file/below', 'lies below something that is not a directory'],
  ])('is refused when it is %s', async (_, path, reason) => {
    await writeFile(join(folder, 'file'), '');
    await expect(openDataDir(join(folder, path))).rejects.toMatchObject({
      name: 'StartError',
      cause: `data directory ${join(folder, path)} ${reason}`,
    });
  });

  // Permission bits do not stop root.
  (process.getuid?.() === 0 ? it.skip : it)('is refused when it is read-only', async () => {
    const path = join(folder, 'closed');
    await mkdir(path, { mode: 0o500 });
    await expect(openDataDir(path)).rejects.toMatchObject({
      cause: `data directory ${path} may not be written to by this account`,
    });
  });
});

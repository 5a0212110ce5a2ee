import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf, hasProcesses, killAnyway, processesWith } from '../kill/processes.js';
import { freePort } from '../support/controller.js';
import { isRoot } from '../support/embedded.js';
import { eventually } from '../support/eventually.js';

const onLinux = hasProcesses ? test : test.skip;

/** The PostgreSQL of a data directory. */
const runningIn = (dataDir: string): Promise<number[]> => processesWith('postgres', dataDir);

onLinux(
  'a SIGTERM to npm start ends the controller and its PostgreSQL in order',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'overgraph-npm-start-'));
    await chmod(dataDir, isRoot ? 0o711 : 0o700);
    const port = String(await freePort());
    const npm = spawn('npm', ['start'], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        OVERGRAPH_DATA_DIR: dataDir,
        OVERGRAPH_PORT: port,
        OVERGRAPH_LOG_LEVEL: 'info',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    /** The processes that npm started: a shell, and by it the controller. */
    const startedBy = async (pid: number): Promise<number[]> => {
      const children = await childrenOf(pid);
      return [...children, ...(await Promise.all(children.map(startedBy))).flat()];
    };
    let output = '';
    npm.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    npm.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    try {
      await eventually(() => {
        expect(output).toContain('is ready on');
      }, 120_000);
      const pids = await runningIn(dataDir);
      expect(pids.length).toBeGreaterThan(0);
      const [shell = 0] = await childrenOf(npm.pid ?? 0);
      expect(await childrenOf(shell)).toHaveLength(1);
      let isClosed = false;
      npm.once('close', () => (isClosed = true));
      npm.kill('SIGTERM');
      await eventually(async () => {
        // Its output stays open as long as the controller holds it.
        expect(isClosed).toBe(true);
        expect(await runningIn(dataDir)).toEqual([]);
      });
      expect(output).not.toMatch(/killed|did not end in time/);
    } finally {
      const started = npm.exitCode === null ? await startedBy(npm.pid ?? 0) : [];
      for (const pid of [...started, ...(await runningIn(dataDir))]) killAnyway(pid);
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  },
  240_000,
);

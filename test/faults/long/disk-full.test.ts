import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isRoot } from '../../support/embedded.js';
import { eventually } from '../../support/eventually.js';
import { EmbeddedController, refusesWrites, writes, writesAgain } from '../embedded-controller.js';

/** The disk of the data directory is full. */

function mounts(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=711', 'none', folder], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

// A filesystem of its own can be mounted by root alone.
const withMounts = isRoot && process.platform === 'linux' ? describe : describe.skip;

withMounts('a full disk', () => {
  let folder: string;
  let controller: EmbeddedController | undefined;
  let isMounted = false;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'overgraph-full-'));
    await chmod(folder, 0o711);
    isMounted = mounts(folder);
    if (isMounted) controller = await EmbeddedController.start(folder);
  }, 60_000);
  afterAll(async () => {
    await controller?.stop();
    if (isMounted) execFileSync('umount', [folder]);
    await rm(folder, { recursive: true, force: true });
  });

  /** Takes all the room that is left. */
  async function fill(file: string): Promise<void> {
    const { bavail, bsize } = statfsSync(folder);
    await writeFile(file, Buffer.alloc(bavail * bsize)).catch(() => undefined);
  }

  test('is told by 503, loses nothing, and is got over as soon as there is room', async () => {
    // A container may forbid it even to root.
    if (!controller) return;
    const { api } = controller;
    const file = join(folder, 'filling');
    const acknowledged: string[] = [];
    await fill(file);
    // What was set aside before may serve some writes more.
    await eventually(async () => {
      const { name, status } = await writes.rest(api);
      if (status === 201) acknowledged.push(name);
      await fill(`${file}-${String(acknowledged.length)}`);
      expect(status).toBe(503);
    }, 90_000);
    await refusesWrites(api);
    expect((await api.rest('GET', '/version')).status).toBe(200);
    for (const name of [file, ...acknowledged.map((_, i) => `${file}-${String(i)}`)]) {
      await truncate(name).catch(() => undefined);
    }
    await truncate(`${file}-${String(acknowledged.length)}`).catch(() => undefined);
    await writesAgain(api, 60_000);
    const rows = await controller.query(
      `select s.name from service s join change c on c.entity_id = s.id and c.operation = 'create'`,
    );
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(acknowledged));
    expect(controller.isRunning).toBe(true);
  }, 240_000);
});

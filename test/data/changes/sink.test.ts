import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ChangeSink, FileTarget, type LineTarget } from '../../../src/data/changes/index.js';
import { StoredChangeLog } from '../../../src/data/store/change-log.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';
import { commit, openTransaction, pruneUpTo, settled } from './support.js';

/** Lines of JSON for those who collect logs. */

let controller: InProcess;
let folder: string;
let file: string;
const lost: string[] = [];

beforeAll(async () => {
  controller = await InProcess.start();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-sink-'));
  file = join(folder, 'changes.jsonl');
  lost.length = 0;
});
afterEach(async () => {
  for (const target of targets.splice(0)) await target.close();
  await rm(folder, { recursive: true });
});
afterAll(() => controller.stop());

const targets: LineTarget[] = [];
const fileTarget = (path = file): FileTarget => {
  const target = new FileTarget(path);
  targets.push(target);
  return target;
};

const sink = (target: LineTarget = fileTarget()): ChangeSink =>
  new ChangeSink({
    log: new StoredChangeLog(controller.parts.database),
    target,
    cursorFile: join(folder, 'changes-sink'),
    onLost: (after) => lost.push(after),
  });

interface Line {
  readonly id: string;
  readonly entityId: string;
  readonly lost?: { readonly after: string };
}

const lines = async (path = file): Promise<Line[]> =>
  (await readFile(path, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

let count = 0;
async function newService(): Promise<string> {
  const id = await controller.create('Service', {
    name: `service ${String(++count)}`,
    encryptionRequired: true,
  });
  await settled(controller, id);
  return id;
}

describe('the sink', () => {
  test('writes each change once, in order, from the oldest on', async () => {
    const [first, second] = [await newService(), await newService()];
    const target = fileTarget();
    await sink(target).drain();
    const third = await newService();
    // As after a restart.
    const again = sink(target);
    await again.drain();
    await again.drain();
    const written = await lines();
    expect(written.slice(-3).map(({ entityId }) => entityId)).toStrictEqual([first, second, third]);
    const ids = written.map(({ id }) => id);
    expect([...new Set(ids)].sort()).toStrictEqual(ids);
    expect(written.at(-1)).toMatchObject({
      type: 'Service',
      operation: 'create',
      actorId: 'nobody',
      before: null,
      after: { name: `service ${String(count)}` },
    });
  });

  test('leaves out what a late commit could still get before', async () => {
    const first = sink();
    await first.drain();
    const early = await openTransaction(controller.url, 'early line');
    const late = await controller.create('Service', {
      name: 'late line',
      encryptionRequired: true,
    });
    await first.drain();
    expect((await lines()).map(({ entityId }) => entityId)).not.toContain(late);
    await commit(early);
    await eventually(async () => {
      await first.drain();
      const written = (await lines()).slice(-2).map(({ entityId }) => entityId);
      expect(written).toStrictEqual(['early line', late]);
    });
  });

  test('begins a new file when the old one was renamed', async () => {
    const target = fileTarget();
    await sink(target).drain();
    await rename(file, `${file}.1`);
    const service = await newService();
    await sink(target).drain();
    expect((await lines()).map(({ entityId }) => entityId)).toStrictEqual([service]);
    expect((await lines(`${file}.1`)).length).toBeGreaterThan(0);
  });

  test('repeats a line that was not written to its end', async () => {
    await sink().drain();
    const whole = await readFile(file, 'utf8');
    await writeFile(file, `${whole}{"id":"00`);
    const service = await newService();
    await sink().drain();
    const text = await readFile(file, 'utf8');
    expect(text.slice(whole.length)).toMatch(/^\{"id":"00\n\{"id":"[0-9a-f]{36}",/);
    expect(text).toContain(service);
  });

  test('loses nothing while its target can not be written', async () => {
    const failing: LineTarget = {
      write: () => Promise.reject(new Error('no space')),
      close: () => Promise.resolve(),
    };
    await sink().drain();
    const service = await newService();
    await expect(sink(failing).drain()).rejects.toThrow('no space');
    await expect(sink(fileTarget(join(folder, 'no', 'such'))).drain()).rejects.toThrow('ENOENT');
    await sink().drain();
    expect((await lines()).at(-1)?.entityId).toBe(service);
  });

  test('tells when changes were pruned before it wrote them, and goes on', async () => {
    await newService();
    await sink().drain();
    const cursor = (await readFile(join(folder, 'changes-sink'), 'utf8')).trim();
    const unread = await newService();
    const [pruned] = await settled(controller, unread);
    const kept = await newService();
    await pruneUpTo(controller, String(pruned?.id));
    await sink().drain();
    expect(lost).toStrictEqual([cursor]);
    const [gap, line] = (await lines()).slice(-2);
    expect(gap).toStrictEqual({ lost: { after: cursor } });
    expect(line?.entityId).toBe(kept);
  });

  test('keeps the file to its owner', async () => {
    await sink().drain();
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
  });
});

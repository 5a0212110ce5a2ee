import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { LineTarget } from '../../../src/data/changes/index.js';
import { EventQueue } from '../../../src/network/events/event-queue.js';
import { RotatingFile } from '../../../src/network/events/rotating-file.js';
import { eventually } from '../../support/eventually.js';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-events-'));
  path = join(folder, 'events.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const names = async (): Promise<string[]> => (await readdir(folder)).sort();

describe('a file of events', () => {
  /** A file of 10 bytes, by a clock that goes on a second with each reading. */
  const small = (maxBackups: number): RotatingFile => {
    let millis = Date.parse('2026-01-02T03:04:05.678Z');
    return new RotatingFile({ path, maxBytes: 10, maxBackups }, () => {
      const now = new Date(millis);
      millis += 1000;
      return now;
    });
  };

  test('begins anew before it is too large, and keeps the earlier ones', async () => {
    const file = small(0);
    for (const line of ['12345\n', '789\n', 'next\n', 'a line that is too long\n', 'end\n']) {
      await file.write(line);
    }
    await file.close();
    expect(await names()).toStrictEqual([
      'events-2026-01-02T03-04-05.678.json',
      'events-2026-01-02T03-04-06.678.json',
      'events-2026-01-02T03-04-07.678.json',
      'events.json',
    ]);
    const [first = ''] = await names();
    expect(await readFile(join(folder, first), 'utf8')).toBe('12345\n789\n');
    expect(await readFile(path, 'utf8')).toBe('end\n');
  });

  test('keeps as many earlier ones as configured, and other files', async () => {
    const other = new RotatingFile({
      path: join(folder, 'events-of-others.json'),
      maxBytes: 10,
      maxBackups: 0,
    });
    await other.write('other\n');
    await other.close();
    const file = small(2);
    for (let i = 0; i < 5; i += 1) await file.write('12345678\n');
    await file.close();
    expect(await names()).toStrictEqual([
      'events-2026-01-02T03-04-07.678.json',
      'events-2026-01-02T03-04-08.678.json',
      'events-of-others.json',
      'events.json',
    ]);
  });

  test('is for the owner and the group', async () => {
    const file = small(0);
    await file.write('line\n');
    await file.close();
    expect((await stat(path)).mode & 0o777 & ~0o640).toBe(0);
    expect((await stat(path)).mode & 0o600).toBe(0o600);
  });

  test('begins anew when another program renames it', async () => {
    const file = new RotatingFile({ path, maxBytes: 1000, maxBackups: 0 });
    await file.write('one\n');
    await rename(path, `${path}.1`);
    await file.write('two\n');
    await file.close();
    expect(await readFile(path, 'utf8')).toBe('two\n');
  });
});

describe('a queue of events', () => {
  interface Reports {
    readonly dropped: number[];
    readonly faults: unknown[];
  }

  function queueTo(
    target: LineTarget,
    most = 10_000,
  ): { readonly queue: EventQueue; readonly reports: Reports } {
    const reports: Reports = { dropped: [], faults: [] };
    const queue = new EventQueue({
      target,
      most,
      onDropped: (count) => reports.dropped.push(count),
      onFault: (error) => reports.faults.push(error),
      pauseMillis: 1,
      reportMillis: 1,
    });
    return { queue, reports };
  }

  test('drops what a target does not take, and counts it', async () => {
    let takeAll = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      takeAll = resolve;
    });
    const written: string[] = [];
    const target = {
      write: async (lines: string) => {
        await opened;
        written.push(lines);
      },
      close: () => Promise.resolve(),
    };
    const { queue, reports } = queueTo(target, 3);
    for (const line of ['1', '2', '3', '4', '5']) queue.add(line);
    await eventually(() => {
      expect(reports.dropped).toStrictEqual([2]);
    });
    takeAll();
    await queue.stop();
    expect(written.join('')).toBe('123');
    expect(reports).toStrictEqual({ dropped: [2], faults: [] });
  });

  test('writes what waited when a folder is there again', async () => {
    const file = new RotatingFile({ path, maxBytes: 1000, maxBackups: 0 });
    await rm(folder, { recursive: true });
    const { queue, reports } = queueTo(file);
    queue.add('one\n');
    queue.add('two\n');
    await eventually(() => {
      expect(reports.faults).toHaveLength(1);
    });
    await mkdir(folder);
    await eventually(async () => {
      expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    });
    await queue.stop();
    expect(reports.faults).toHaveLength(1);
  });

  test('ends without a target that fails, and counts what it could not write', async () => {
    const target = {
      write: () => Promise.reject(new Error('no space')),
      close: () => Promise.resolve(),
    };
    const { queue, reports } = queueTo(target);
    queue.add('one');
    await queue.stop();
    expect(reports.dropped).toStrictEqual([1]);
  });
});

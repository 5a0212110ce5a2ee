import { connect } from 'node:net';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { faultRecord } from '../../src/programs/controller/fault-record.js';
import { EmbeddedController } from '../faults/embedded-controller.js';
import { isRoot } from '../support/embedded.js';
import { eventually } from '../support/eventually.js';
import { hasProcesses, processesWith } from './processes.js';

/** A fault that nothing is prepared for ends a controller in good order, with its PostgreSQL. */

/** On a busy machine too. */
const PATIENCE = 60_000;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'overgraph-uncaught-'));
  // Enterable by the account that PostgreSQL runs as.
  await chmod(dataDir, isRoot ? 0o711 : 0o700);
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const preload = pathToFileURL(join(process.cwd(), 'test/kill/faults-on-signal.mjs')).href;
const start = (): Promise<EmbeddedController> =>
  EmbeddedController.start(dataDir, { NODE_OPTIONS: `--import=${preload}` });

/** What it logs of a fault, which says neither the message nor what the error holds. */
function faultLine({ program }: EmbeddedController, level: 50 | 60): unknown {
  expect(program.stdout + program.stderr).not.toContain('hunter2');
  const line = program.stdout
    .split('\n')
    .find((text) => text.startsWith(`{"level":${String(level)}`));
  return JSON.parse(line ?? '{}');
}

async function expectNothingLeft(): Promise<void> {
  if (hasProcesses) expect(await processesWith(dataDir)).toStrictEqual([]);
}

const isClosed = (port: number): Promise<unknown> =>
  eventually(async () => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  }, PATIENCE);

describe('a controller', () => {
  test(
    'answers what is under way at an exception that nothing catches, and ends with code 1',
    async () => {
      const controller = await start();
      const holder = await controller.connect();
      await holder.query('begin');
      await holder.query('lock table service in exclusive mode');
      const body = { name: 'under way', encryptionRequired: true };
      const held = controller.api.rest('POST', '/services', body);
      await eventually(async () => {
        const { rowCount } = await holder.query(
          "select from pg_locks where not granted and relation = 'service'::regclass",
        );
        expect(rowCount).toBe(1);
      }, PATIENCE);
      controller.program.child.kill('SIGHUP');
      await isClosed(controller.api.port);
      expect(controller.isRunning).toBe(true);
      await holder.query('commit');
      expect((await held).status).toBe(201);
      await holder.end();
      expect(await controller.program.end()).toBe(1);
      expect(faultLine(controller, 60)).toMatchObject({ fault: { type: 'RangeError' } });
      await expectNothingLeft();
    },
    2 * PATIENCE,
  );

  test(
    'goes on when a promise fails that nothing waits for',
    async () => {
      const controller = await start();
      controller.program.child.kill('SIGUSR2');
      await eventually(() => {
        expect(faultLine(controller, 50)).toMatchObject({
          fault: {
            type: 'TypeError',
            code: '23505',
            at: expect.arrayContaining([expect.stringContaining('faults-on-signal.mjs')]),
          },
        });
      }, PATIENCE);
      const body = { name: 'afterwards', encryptionRequired: true };
      expect((await controller.api.rest('POST', '/services', body)).status).toBe(201);
      expect(controller.isRunning).toBe(true);
      await controller.stop();
      await expectNothingLeft();
    },
    2 * PATIENCE,
  );
});

describe('the record of a fault', () => {
  const record = (fault: unknown): string => JSON.stringify(faultRecord(fault));

  test.each([
    ['an error', new Error('hunter2')],
    ['one whose message looks like its stack', new Error('x\n    at hunter2 (a.js:1:1)')],
    ['one with members', Object.assign(new Error(''), { detail: 'hunter2', where: 'hunter2' })],
    ['one with a telling code', Object.assign(new Error(''), { code: 'hunter2 is wrong' })],
    ['a text', 'hunter2'],
    ['an object', { password: 'hunter2' }],
  ])('of %s tells nothing that was sent', (_, fault) => {
    expect(record(fault)).not.toContain('hunter2');
  });

  test('tells where it came from', () => {
    const { type, at } = faultRecord(new TypeError('one\ntwo'));
    expect(type).toBe('TypeError');
    expect(at[0]).toContain('uncaught.test.ts');
  });
});

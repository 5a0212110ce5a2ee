import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql, type Sql } from '../../../src/base/sql.js';
import type { Transaction } from '../../../src/kernel/request/store-port.js';
import { originOf } from '../../../src/kernel/write/write.js';
import type { ApiError } from '../../../src/base/errors.js';
import { Database, databaseError, isConnectionLost } from '../../../src/data/store/database.js';
import { InProcess } from '../../support/in-process.js';
import { StandstillServer } from '../../support/standstill-server.js';

/** What faults of the database mean to a client. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const write = (work: (tx: Transaction) => Promise<unknown>): Promise<unknown> =>
  controller.parts.store.write(originOf(controller.ctx()), work).then(
    () => 'done',
    (error: unknown) => (error as { code?: unknown }).code ?? error,
  );

describe('in a transaction', () => {
  test('a statement that takes too long is a TIMEOUT', async () => {
    const code = await write(async (tx) => {
      await tx.query(sql`select set_config('statement_timeout', '50', true)`);
      await tx.query(sql`select pg_sleep(5)::text`);
    });
    expect(code).toBe('TIMEOUT');
  });

  test('a statement that was sent as the server ended an idle transaction is UNAVAILABLE', async () => {
    const code = await write(async (tx) => {
      const [backend] = await tx.query(
        sql<{ pid: number }>`select pg_backend_pid() as pid,
          set_config('idle_in_transaction_session_timeout', '300', true)`,
      );
      const pid = backend?.pid ?? NaN;
      process.kill(pid, 'SIGSTOP');
      const sent = tx.query(sql`select 1 as one`);
      // The server finds both, the end of its patience and the statement.
      await new Promise((resolve) => setTimeout(resolve, 500));
      process.kill(pid, 'SIGCONT');
      await sent;
    });
    expect(code).toBe('UNAVAILABLE');
    expect(await write((tx) => tx.query(sql`select 1 as one`))).toBe('done');
  });

  test('a connection that breaks is UNAVAILABLE, and the next write works', async () => {
    const code = await write((tx) => tx.query(sql`select pg_terminate_backend(pg_backend_pid())`));
    expect(code).toBe('UNAVAILABLE');
    expect(await write((tx) => tx.query(sql`select 1 as one`))).toBe('done');
  });
});

describe('a connection is not used again', () => {
  const backend = async (): Promise<unknown> =>
    (await controller.parts.store.query(sql<{ pid: number }>`select pg_backend_pid() as pid`))[0]
      ?.pid;

  test('when its server refused a write, as the former one does after a failover', async () => {
    const { pool } = controller.parts.database;
    const clients = await Promise.all(Array.from({ length: 8 }, () => pool.connect()));
    for (const client of clients) await client.query('set default_transaction_read_only = on');
    for (const client of clients) client.release();
    const touch = (): Promise<unknown> =>
      write((tx) => tx.query(sql`update service set name = name`));
    const codes: unknown[] = [];
    for (let i = 0; i < 12; i += 1) codes.push(await touch());
    expect(codes[0]).toBe('UNAVAILABLE');
    expect(codes.slice(8)).toStrictEqual(['done', 'done', 'done', 'done']);
  });

  test('when its server fell silent', async () => {
    const { pool } = controller.parts.database;
    const silent = { text: 'select pg_sleep(3)', query_timeout: 50 };
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    await expect(client.query(silent)).rejects.toThrow('Query read timeout');
    client.release();
    expect(await backend()).not.toBe(rows[0]?.pid);
  });
});

describe.each([
  ['on a connection of its own', true],
  ['behind a pooler', false],
])('%s', (_, named) => {
  const limits = sql<{ idle: string; statement: string }>`select
    current_setting('idle_in_transaction_session_timeout') as idle,
    current_setting('statement_timeout') as statement`;

  test('a transaction may be idle for seconds, a snapshot as long as a client reads slowly', async () => {
    const database = new Database({ url: controller.url, named });
    const [transaction, snapshot] = [await database.begin(), await database.snapshot()];
    try {
      expect(await transaction.query(limits)).toStrictEqual([{ idle: '5s', statement: '10s' }]);
      expect(await snapshot.query(limits)).toStrictEqual([{ idle: '1min', statement: '10s' }]);
    } finally {
      await Promise.all([transaction.rollback(), snapshot.end()]);
      await database.close();
    }
  });
});

describe('outside of one', () => {
  const read = (text: string): Promise<unknown> =>
    controller.parts.database.query({ render: () => ({ text, values: [] }) } as never).then(
      () => 'done',
      (error: unknown) => (error as { code?: unknown }).code,
    );

  test('a connection that breaks is UNAVAILABLE, and the next read works', async () => {
    expect(await read('select pg_terminate_backend(pg_backend_pid())')).toBe('UNAVAILABLE');
    expect(await read('select 1')).toBe('done');
  });

  test('a fault of the statement is none of the client’s', async () => {
    expect(await read('select nonsense')).toBe('42703');
  });
});

describe('text that can not be stored', () => {
  const jsonOf = (text: string): Promise<unknown> =>
    write((tx) => tx.query(sql`select ${text}::jsonb::text as value`));

  test.each([
    ['NUL in a text', () => write((tx) => tx.query(sql`select ${'a\0'}::text`))],
    ['NUL in a text that is read', () => readCode(sql`select ${'a\0'}::text`)],
    ['NUL in a list', () => readCode(sql`select ${['a', 'a\0']}::text[]`)],
    ['NUL in JSON', () => jsonOf('"a\\u0000"')],
    [
      'NUL in a row',
      () =>
        write((tx) =>
          tx.update(controller.catalog.resources.Service, 'none', {
            name: 'a\0',
            tags: { a: '\0' },
          }),
        ),
    ],
  ])('such as %s is the fault of who sends it', async (_, code) => {
    expect(await code()).toBe('COULD_NOT_VALIDATE');
  });

  const readCode = (statement: Sql): Promise<unknown> =>
    controller.parts.database.query(statement).then(
      () => 'done',
      (error: unknown) => (error as { code?: unknown }).code ?? error,
    );
});

describe('no connection', () => {
  /** The code and the cause of a statement of a controller with this database. */
  async function outcomeOf(url: string): Promise<{ code: unknown; cause: unknown }> {
    const database = new Database({ url, named: true, connections: 1 });
    try {
      return await database.query(sql`select 1 as one`).then(
        () => ({ code: 'done', cause: undefined }),
        (error: unknown) => {
          const { code, cause } = error as ApiError;
          return { code, cause: String(cause) };
        },
      );
    } finally {
      await database.close();
    }
  }

  test('to a server that stands still, when no more may wait, is UNAVAILABLE', async () => {
    const server = await StandstillServer.start();
    try {
      await server.fill();
      expect(await outcomeOf(`postgresql://x@localhost/x?host=${server.folder}`)).toStrictEqual({
        code: 'UNAVAILABLE',
        cause: expect.stringContaining('EAGAIN'),
      });
    } finally {
      await server.stop();
    }
  });

  test.each([
    ['a port where nobody listens', '127.0.0.1:1/x', 'ECONNREFUSED'],
    ['a host with several addresses, where nobody listens', 'localhost:1/x', 'Error'],
    ['a socket that does not exist', 'localhost/x?host=/nowhere', 'ENOENT'],
    ['a socket that is a file', 'localhost/x?host=/etc/hostname', 'ENOTDIR'],
    ['a host that nobody knows', 'nowhere.invalid:5432/x', 'nowhere.invalid'],
  ])('to %s is UNAVAILABLE, and its cause is kept for the log', async (_, place, cause) => {
    expect(await outcomeOf(`postgresql://x@${place}`)).toStrictEqual({
      code: 'UNAVAILABLE',
      cause: expect.stringContaining(cause),
    });
  });

  // A password that is changed, or a database that is renamed, while the controller runs.
  test.each([
    ['that does not let the controller in', ['postgres@', 'nobody@'], '"nobody"'],
    ['without the database', [/\/test_\w+/, '/nowhere'], '"nowhere"'],
  ] as const)('to a server %s is UNAVAILABLE as well', async (_, [before, after], cause) => {
    expect(await outcomeOf(controller.url.replace(before, after))).toStrictEqual({
      code: 'UNAVAILABLE',
      cause: expect.stringContaining(cause),
    });
  });
});

describe('codes', () => {
  test.each([
    ['57014', 'TIMEOUT'],
    ['53300', 'UNAVAILABLE'],
    ['08006', 'UNAVAILABLE'],
    ['40P01', 'UNAVAILABLE'],
    ['28P01', 'UNAVAILABLE'],
    ['57P04', 'UNAVAILABLE'],
    ['22021', 'COULD_NOT_VALIDATE'],
    ['22P05', 'COULD_NOT_VALIDATE'],
    ['42703', '42703'],
  ])('%s is %s', (code, expected) => {
    expect(databaseError(Object.assign(new Error('x'), { code }))).toMatchObject({
      code: expected,
    });
  });

  test.each([
    'Query read timeout',
    'Connection terminated unexpectedly',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'timeout exceeded when trying to connect',
    'Cannot use a pool after calling end on the pool',
  ])('none, with "%s", is UNAVAILABLE', (message) => {
    expect(databaseError(new Error(message))).toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('the outcome of a statement', () => {
  const fault = (code: string): Error => Object.assign(new Error('x'), { code });

  test.each([
    ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
    ...['EHOSTDOWN', 'ENETDOWN', 'ENETRESET', '08006'],
  ])('is not known when the connection breaks with %s', (code) => {
    expect(isConnectionLost(fault(code))).toBe(true);
  });

  test.each(['40001', '57014', '53100', '25P03', 'ENOSPC'])('is known with %s', (code) => {
    expect(isConnectionLost(fault(code))).toBe(false);
  });
});

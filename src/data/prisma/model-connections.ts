import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import type { RequestScope } from '../../kernel/request/request-scope.js';
import { ConnectionAdapter, type ModelCall, type SendStatement } from './connection-adapter.js';
import { PrismaClient } from './emitted/client.js';
import type { ModelData } from './model-values.js';
import type { Models } from './models.js';

/** The operations of the model of any resource; each sends one statement. */
export interface ResourceModel {
  create(args: { data: ModelData; select: { id: true } }): PromiseLike<unknown>;
  deleteMany(args: { where: ModelData }): PromiseLike<{ readonly count: number }>;
}

export function modelOf(models: Models, { model }: { readonly model: string }): ResourceModel {
  const delegate = (models as unknown as Readonly<Record<string, ResourceModel | undefined>>)[
    model
  ];
  if (!delegate) throw new Error(`the schema has no model ${model}`);
  return delegate;
}

export interface ModelCallOptions {
  readonly scope: RequestScope | undefined;
  /** Called with the text of the statement. */
  readonly onStatement?: ((text: string) => void) | undefined;
}

/** One statement on a connection, by way of a model. */
export interface ModelAnswer<T> {
  /** Resolves when the statement is on the wire, or will never be. */
  readonly sent: Promise<void>;
  /** Rejects with the error of the driver, or with that of Prisma if nothing was sent. */
  readonly answer: Promise<T>;
}

/** A connection with its client of Prisma. */
interface OpenConnection {
  readonly adapter: ConnectionAdapter;
  readonly models: Models;
}

/** Longer than a connection lives, and the most that a timer takes. */
const ENDLESS_MILLIS = 2 ** 31 - 1;
const OPEN_MILLIS = 10_000;

/**
 * Prisma's models on the connections of a pool. Each connection has a client of its own, made at its
 * first use: a transaction of Prisma that never ends, since to begin one costs more than the statements
 * of an edit.
 */
export class ModelConnections {
  readonly #connections = new WeakMap<pg.PoolClient, Promise<OpenConnection>>();
  /** End the clients of connections. */
  readonly #ends = new Set<() => void>();

  constructor(private readonly send: SendStatement) {}

  /**
   * Calls a model, which sends one statement; the end of the scope cancels it. No other call waits on
   * the connection until its statement is sent.
   */
  run<T>(
    client: pg.PoolClient,
    call: (models: Models) => PromiseLike<T>,
    { scope, onStatement }: ModelCallOptions,
  ): ModelAnswer<T> {
    let setSent: () => void = () => undefined;
    const sent = new Promise<void>((resolve) => {
      setSent = resolve;
    });
    const onSent = (text: string): void => {
      onStatement?.(text);
      setSent();
    };
    return { sent, answer: this.answerOf(client, call, { scope, onSent }).finally(setSent) };
  }

  /** Ends the clients of all connections. */
  close(): void {
    for (const end of this.#ends) end();
  }

  private async answerOf<T>(
    client: pg.PoolClient,
    call: (models: Models) => PromiseLike<T>,
    options: Pick<ModelCall, 'scope' | 'onSent'>,
  ): Promise<T> {
    const { adapter, models } = await this.connectionOf(client);
    let cause: { readonly error: unknown } | undefined;
    adapter.call = {
      ...options,
      onError: (error) => {
        cause = { error };
      },
    };
    try {
      return await call(models);
    } catch (error) {
      throw cause ? cause.error : withoutValues(error);
    }
  }

  private connectionOf(client: pg.PoolClient): Promise<OpenConnection> {
    const openedBefore = this.#connections.get(client);
    if (openedBefore) return openedBefore;
    const adapter = new ConnectionAdapter(client, this.send);
    const opened = openEndless(adapter, this.endOf(client)).then((models) => ({ adapter, models }));
    this.#connections.set(client, opened);
    opened.catch(() => this.#connections.delete(client));
    return opened;
  }

  /** Resolves when the connection is closed, or all clients end. */
  private endOf(client: pg.PoolClient): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#ends.delete(end);
        resolve();
      };
      this.#ends.add(end);
      client.once('end', end);
    });
  }
}

/** Prisma's error for a call that it refuses shows all of the data, secrets too, and its reason last. */
const withoutValues = (error: unknown): Error =>
  new Error(error instanceof Error ? (error.message.split('\n').at(-1) ?? '') : 'a model failed');

/** The adapter of the connection that is opened now: they are opened one after the other. */
let opening: ConnectionAdapter | undefined;
let lastOpened: Promise<unknown> = Promise.resolve();

/** Begins a transaction of Prisma on a connection, which lasts until `end` resolves. */
function openEndless(adapter: ConnectionAdapter, end: Promise<void>): Promise<Models> {
  const opened = lastOpened.then(
    () =>
      new Promise<Models>((resolve, reject) => {
        opening = adapter;
        sharedClient()
          .$transaction(
            (models) => {
              // Prisma knows the same models by wider types.
              resolve(models as unknown as Models);
              return end;
            },
            { timeout: ENDLESS_MILLIS, maxWait: OPEN_MILLIS },
          )
          .catch(reject);
      }),
  );
  lastOpened = opened.catch(() => undefined);
  return opened;
}

let client: PrismaClient | undefined;

/** The one client of the process, which keeps the plans of all statements. It has no connection. */
function sharedClient(): PrismaClient {
  client ??= new PrismaClient({
    adapter: {
      provider: 'postgres',
      adapterName: 'overgraph',
      connect: () => Promise.resolve(ONLY_TRANSACTIONS),
    },
    // Otherwise each call takes a stack trace, which costs as much as the rest of it.
    errorFormat: 'minimal',
  });
  return client;
}

const refused = (): Promise<never> =>
  Promise.reject(new Error('statements run on a connection of a pool'));

/** The database as Prisma sees it: it begins transactions, and each takes the connection that is opened now. */
const ONLY_TRANSACTIONS: SqlDriverAdapter = {
  provider: 'postgres',
  adapterName: 'overgraph',
  queryRaw: refused,
  executeRaw: refused,
  executeScript: refused,
  startTransaction: () => {
    const adapter = opening;
    opening = undefined;
    return adapter
      ? Promise.resolve(adapter)
      : Promise.reject(new Error('no connection is opened'));
  },
  getConnectionInfo: () => ({ supportsRelationJoins: true }),
  dispose: () => Promise.resolve(),
};

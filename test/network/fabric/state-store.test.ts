import { describe, expect, test } from '@jest/globals';
import { failure } from '../../../src/base/errors.js';
import { StateStore, type StateTable } from '../../../src/network/fabric/state-store.js';
import { eventually } from '../../support/eventually.js';

interface State {
  readonly id: string;
  readonly text: string;
}

/** A table that fails as a test says. */
class Table implements StateTable<State> {
  readonly rows = new Map<string, string>();
  readonly errors: unknown[] = [];
  writes = 0;
  fault: (states: readonly State[]) => Error | undefined = () => undefined;

  put(states: readonly State[]): Promise<void> {
    return this.write(states, ({ id, text }) => this.rows.set(id, text));
  }

  remove(states: readonly State[]): Promise<void> {
    return this.write(states, ({ id }) => this.rows.delete(id));
  }

  private write(states: readonly State[], apply: (state: State) => unknown): Promise<void> {
    this.writes += 1;
    const error = this.fault(states);
    if (error) return Promise.reject(error);
    for (const state of states) apply(state);
    return Promise.resolve();
  }
}

function open(
  mostInOneWrite?: number,
  isOwner?: () => boolean,
): {
  readonly table: Table;
  readonly store: StateStore<State>;
} {
  const table = new Table();
  const onError = (error: unknown): void => {
    table.errors.push(error);
  };
  const most = mostInOneWrite === undefined ? {} : { mostInOneWrite };
  return { table, store: new StateStore({ table, isOwner, onError, retryMillis: 1, ...most }) };
}

const state = (id: string, text = 'new'): State => ({ id, text });

const has = (table: Table, rows: Readonly<Record<string, string>>): Promise<unknown> =>
  eventually(() => {
    expect(Object.fromEntries(table.rows)).toStrictEqual(rows);
  });

describe('states', () => {
  test('are written together, the latest of each', async () => {
    const { table, store } = open();
    store.put(state('a', 'old'));
    store.put(state('a'));
    store.put(state('b'));
    store.put(state('c'));
    store.remove(state('c'));
    await has(table, { a: 'new', b: 'new' });
    await store.stop();
    expect(table.writes).toBe(2);
  });

  test('wait while the table is that of another controller', async () => {
    let isOwner = false;
    let questions = 0;
    const { table, store } = open(undefined, () => {
      questions += 1;
      return isOwner;
    });
    store.put(state('a'));
    await eventually(() => {
      expect(questions).toBeGreaterThan(3);
    });
    expect(table.writes).toBe(0);
    isOwner = true;
    await has(table, { a: 'new' });
    await store.stop();
  });

  test('are forgotten when another controller has stored newer ones', async () => {
    let isOwner = false;
    const { table, store } = open(undefined, () => isOwner);
    store.put(state('a', 'outdated'));
    store.forget();
    isOwner = true;
    store.put(state('b'));
    await has(table, { b: 'new' });
    await store.stop();
  });

  test('do not delay a stop of a controller that does not own the table', async () => {
    const { table, store } = open(undefined, () => false);
    store.put(state('a'));
    await store.stop();
    expect(table.writes).toBe(0);
  });

  test('are written in parts, if these are large', async () => {
    const { table, store } = open(2);
    for (const id of ['a', 'b', 'c']) store.put(state(id));
    await store.stop();
    expect([table.writes, table.rows.size]).toStrictEqual([2, 3]);
  });

  test('wait while the database does not answer, and newer ones take their place', async () => {
    const { table, store } = open();
    table.rows.set('gone', 'old');
    table.fault = () => failure('UNAVAILABLE');
    store.put(state('a', 'old'));
    store.put(state('b'));
    store.remove(state('gone'));
    await eventually(() => {
      expect(table.errors.length).toBeGreaterThan(3);
    });
    expect(table.rows.size).toBe(1);
    store.put(state('a'));
    table.fault = () => undefined;
    await has(table, { a: 'new', b: 'new' });
  });

  test('that are refused are left out alone', async () => {
    const { table, store } = open();
    table.fault = (states) =>
      states.some(({ text }) => text === 'bad') ? new Error('it is bad') : undefined;
    for (let i = 0; i < 20; i += 1) store.put(state(String(i), i % 7 === 3 ? 'bad' : 'new'));
    await store.stop();
    expect(table.rows.size).toBe(17);
    expect(table.errors).toHaveLength(3);
  });

  test('do not hold up a stop without a database', async () => {
    const { table, store } = open();
    table.fault = () => failure('UNAVAILABLE');
    store.put(state('a'));
    await store.stop();
    expect(table.rows.size).toBe(0);
  });
});

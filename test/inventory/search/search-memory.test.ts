import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Sql } from '../../../src/base/sql.js';
import type { Change, ChangeListener } from '../../../src/kernel/request/store-port.js';
import { catalog } from '../../../src/resources/index.js';
import { SearchMemory } from '../../../src/inventory/search/search-memory.js';
import { MAX_CHARACTERS } from '../../../src/inventory/search/index.js';
import { InProcess } from '../../support/in-process.js';

/** The memory of searches follows the database through failures and changes at the same time. */

let controller: InProcess;
beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

/** The store of a memory, which a test can disturb. */
class DisturbedStore {
  readonly texts: string[] = [];
  /** Runs before each statement. */
  disturb: () => Promise<void> = () => Promise.resolve();
  readonly #listeners: ChangeListener[] = [];

  async query<R>(statement: Sql<R>): Promise<R[]> {
    this.texts.push(statement.render().text);
    await this.disturb();
    return controller.parts.store.query(statement);
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Reports that these entities have changed. */
  tell(type: string, ids: readonly string[]): void {
    const changes = ids.map((id): Change => ({
      resource: type,
      id,
      operation: 'update',
      revision: 1,
      before: null,
      after: null,
      at: new Date(0),
    }));
    for (const listener of this.#listeners) void listener(changes);
  }
}

const store = new DisturbedStore();
afterEach(() => {
  store.disturb = () => Promise.resolve();
  store.texts.length = 0;
});

const configType = (name: string): Promise<string> =>
  controller.create('ConfigType', { name, schema: {} });

const namesIn = async (memory: SearchMemory): Promise<readonly string[]> =>
  ((await memory.present()).get('ConfigType') ?? []).map(({ name }) => name);

const open = (): SearchMemory => new SearchMemory({ catalog, store });

const rename = (id: string, name: string): Promise<unknown> =>
  controller.read(
    'mutation ($id: ID!, $name: String!) { updateConfigType(id: $id, input: { name: $name }) { id } }',
    { id, name },
  );

test('reads everything once, and then what has changed', async () => {
  const memory = open();
  const id = await configType('one');
  expect(await namesIn(memory)).toContain('one');
  const read = store.texts.length;
  expect(await namesIn(memory)).toContain('one');
  expect(store.texts).toHaveLength(read);
  await rename(id, 'two');
  store.tell('ConfigType', [id]);
  const names = await namesIn(memory);
  expect(store.texts).toHaveLength(read + 1);
  expect(names).toContain('two');
  expect(names).not.toContain('one');
  expect(names).toStrictEqual(names.toSorted());
});

test('a change during the first read is not lost', async () => {
  const memory = open();
  const id = await configType('early');
  let isDone = false;
  store.disturb = async () => {
    // The kind is read already when the next one is.
    if (isDone || !store.texts.at(-1)?.includes('from "posture_check"')) return;
    isDone = true;
    await rename(id, 'late');
    store.tell('ConfigType', [id]);
  };
  const names = await namesIn(memory);
  expect(isDone).toBe(true);
  expect(names).toContain('late');
  expect(names).not.toContain('early');
});

test('a change during the read of another change is seen by the next search', async () => {
  const memory = open();
  const id = await configType('first');
  await namesIn(memory);
  await rename(id, 'second');
  store.tell('ConfigType', [id]);
  store.disturb = () => {
    store.tell('ConfigType', [id]);
    return Promise.resolve();
  };
  await namesIn(memory);
  store.disturb = () => Promise.resolve();
  await rename(id, 'third');
  expect(await namesIn(memory)).toContain('third');
});

test('what could not be read is read again', async () => {
  const broken = (): Promise<never> => Promise.reject(new Error('the database is away'));
  const memory = open();
  store.disturb = broken;
  await expect(memory.present()).rejects.toThrow('the database is away');
  store.disturb = () => Promise.resolve();
  const id = await configType('before');
  expect(await namesIn(memory)).toContain('before');
  await rename(id, 'after');
  store.tell('ConfigType', [id]);
  store.disturb = broken;
  await expect(memory.present()).rejects.toThrow('the database is away');
  store.disturb = () => Promise.resolve();
  expect(await namesIn(memory)).toContain('after');
});

test('so many changes that nobody searched for are not remembered one by one', async () => {
  const memory = open();
  const id = await configType('kept');
  await namesIn(memory);
  const whole = store.texts.length;
  await rename(id, 'renamed');
  store.tell(
    'Identity',
    Array.from({ length: 20_001 }, (_, i) => `nobody${String(i)}`),
  );
  store.texts.length = 0;
  expect(await namesIn(memory)).toContain('renamed');
  expect(store.texts).toHaveLength(whole);
});

test('changes that come so fast during the first read are in the next one', async () => {
  const memory = open();
  const id = await configType('slow');
  let isDone = false;
  store.disturb = async () => {
    if (isDone || !store.texts.at(-1)?.includes('from "posture_check"')) return;
    isDone = true;
    await rename(id, 'fast');
    store.tell(
      'Identity',
      Array.from({ length: 20_001 }, (_, i) => `nobody${String(i)}`),
    );
  };
  await namesIn(memory);
  expect(isDone).toBe(true);
  expect(await namesIn(memory)).toContain('fast');
});

test('many changes are read in parts, and entities that are gone leave', async () => {
  const memory = open();
  const id = await configType('to go');
  await namesIn(memory);
  await controller.read('mutation ($id: ID!) { deleteConfigType(id: $id) }', { id });
  store.texts.length = 0;
  store.tell(
    'Identity',
    Array.from({ length: 3_000 }, (_, i) => `nobody${String(i)}`),
  );
  store.tell('ConfigType', [id]);
  expect(await namesIn(memory)).not.toContain('to go');
  expect(store.texts).toHaveLength(2);
});

test('of long tags it keeps the beginning', async () => {
  const memory = open();
  const tags = { a: 'x'.repeat(MAX_CHARACTERS - 4), b: 'yz', c: 'beyond' };
  const id = await controller.create('ConfigType', { name: 'long tags', schema: {}, tags });
  const entries = (await memory.present()).get('ConfigType') ?? [];
  const { text = '', tagsStart } = entries.find((entry) => entry.id === id) ?? {};
  expect(text.slice(tagsStart).replaceAll('\0', '').replaceAll('X', '')).toBe('ABYZ');
});

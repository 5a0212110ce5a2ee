import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '../../src/base/sql.js';
import { CutWire, type Cut } from '../support/cut-wire.js';
import { InProcess, InProcessRest, type RestAnswer } from '../support/in-process.js';

/** Connections to the database that break in the middle of a write, at every message of it. */

let owner: InProcess;
let wire: CutWire;
let controller: InProcess;
let rest: InProcessRest;

beforeAll(async () => {
  owner = await InProcess.start();
  const host = new URLSearchParams(owner.url.split('?')[1]).get('host');
  if (host === null) throw new Error('the test database has no unix socket');
  wire = await CutWire.to(join(host, '.s.PGSQL.5432'));
  const name = /\/(test_\w+)/.exec(owner.url)?.[1] ?? '';
  const databaseUrl = `postgresql://postgres@127.0.0.1:${String(wire.port)}/${name}?sslmode=disable`;
  controller = await InProcess.start(undefined, {
    network: { databaseUrl, keys: owner.parts.keys },
  });
  const [admin] = await owner.parts.store.query(
    sql<{ id: string }>`select id from identity where is_default_admin`,
  );
  rest = await InProcessRest.listen(controller, String(admin?.id));
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
  await wire.stop();
  await owner.stop();
});

/** More than any write sends. */
const MAX_MESSAGES = 60;
let count = 0;

interface Outcome {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string | undefined;
}

async function create(name: string): Promise<Outcome> {
  return outcomeOf(await rest.send('POST', '/services', { name, encryptionRequired: true }));
}

/** Selects what the controller has to read after the write. */
async function createInGraph(name: string): Promise<Outcome> {
  const { errors } = await controller.graph(
    'mutation ($input: CreateServiceInput!) { createService(input: $input) { id createdAt } }',
    { input: { name, encryptionRequired: true } },
  );
  const [error] = errors;
  const message = error?.detail?.kind === 'message' ? error.detail.message : undefined;
  return { status: error?.status ?? 200, code: error?.code, message };
}

async function isStored(name: string): Promise<boolean> {
  const rows = await owner.parts.store.query(
    sql`select id from service where name = ${name}::text`,
  );
  return rows.length > 0;
}

const outcomeOf = ({ status, body }: RestAnswer): Outcome => {
  const { error } = body as { error?: { code: string; cause?: { message: string } } };
  return { status, code: error?.code, message: error?.cause?.message };
};

interface Cutting extends Outcome {
  readonly at: number;
  readonly isStored: boolean;
}

/** Breaks a request at its first message, the next one at its second, and so on. */
async function everyCut<T>(
  how: Cut,
  prepare: () => Promise<T>,
  send: (prepared: T) => Promise<Outcome>,
): Promise<(Outcome & { readonly at: number; readonly prepared: T })[]> {
  const cuts = [];
  // Afterwards the controller has in memory what it reads once, such as the session of the sender.
  await send(await prepare());
  for (let at = 1; at <= MAX_MESSAGES; at += 1) {
    const prepared = await prepare();
    wire.cutAt(at, how);
    const outcome = await send(prepared);
    if (wire.spare()) return cuts;
    cuts.push({ at, ...outcome, prepared });
  }
  throw new Error('no request came to its end');
}

function newName(): Promise<string> {
  count += 1;
  return Promise.resolve(`broken ${String(count)}`);
}

async function everyCreation(how: Cut): Promise<Cutting[]> {
  const cuts = await everyCut(how, newName, create);
  return Promise.all(cuts.map(async (cut) => ({ ...cut, isStored: await isStored(cut.prepared) })));
}

/** Made on a connection that nothing breaks. */
const newService = async (): Promise<string> =>
  owner.create('Service', { name: await newName(), encryptionRequired: true });

const UNKNOWN = /whether it was stored is not known/;
const CARRIED_OUT = /^it was carried out/;

describe.each<Cut>(['before it arrives', 'before it is answered'])(
  'a connection that breaks at any message %s',
  (how) => {
    test('is 503, and tells when the outcome is not known', async () => {
      const cuts = await everyCreation(how);
      // A write waits for the database before its commit and with it.
      const failed = cuts.filter(({ status }) => status !== 201);
      expect(failed).toHaveLength(2);
      // What a request leaves behind may be cut off without harm to it.
      expect(cuts.length).toBeGreaterThanOrEqual(failed.length);
      expect(failed.filter(({ code }) => code !== 'UNAVAILABLE')).toStrictEqual([]);
      expect(failed.filter(({ status }) => status !== 503)).toStrictEqual([]);
      const untold = failed.filter(({ message }) => !UNKNOWN.test(message ?? ''));
      expect(untold.filter((cut) => cut.isStored)).toStrictEqual([]);
      const told = failed.filter(({ message }) => UNKNOWN.test(message ?? ''));
      expect(told.map((cut) => cut.isStored)).toStrictEqual([how === 'before it is answered']);
      expect((await create(`after ${how}`)).status).toBe(201);
    });

    test('tells that a write was carried out when only its answer can not be read', async () => {
      const cuts = await everyCut(how, newName, createInGraph);
      const carriedOut = cuts.filter(({ message }) => CARRIED_OUT.test(message ?? ''));
      expect(carriedOut).toHaveLength(1);
      expect(carriedOut[0]?.code).toBe('UNAVAILABLE');
      for (const { message, prepared } of cuts) {
        if (CARRIED_OUT.test(message ?? '')) expect(await isStored(prepared)).toBe(true);
        else if (!UNKNOWN.test(message ?? '')) expect(await isStored(prepared)).toBe(false);
      }
    });

    test('finds a change that waits for the database twice, too', async () => {
      const change = async (id: string): Promise<Outcome> =>
        outcomeOf(await rest.send('PATCH', `/services/${id}`, { tags: { a: 1 } }));
      const cuts = await everyCut(how, newService, change);
      const failed = cuts.filter(({ status }) => status !== 200);
      expect(failed).toHaveLength(2);
      expect(failed[1]?.message).toMatch(UNKNOWN);
    });

    test.each<[string, (id: string) => Promise<RestAnswer>]>([
      ['change', (id) => rest.send('PATCH', `/services/${id}`, { tags: { a: 1 } })],
      ['deletion', (id) => rest.send('DELETE', `/services/${id}`)],
      ['read', (id) => rest.send('GET', `/services/${id}/service-policies`)],
      [
        'login',
        () =>
          rest.send('POST', '/authenticate?method=password', {
            username: 'admin',
            password: 'correct horse',
          }),
      ],
    ])('is 503 for a %s', async (_, send) => {
      const cuts = await everyCut(how, newService, async (id) => outcomeOf(await send(id)));
      expect(cuts.length).toBeGreaterThan(0);
      const others = cuts.filter(({ status }) => status >= 400 && status !== 503);
      expect(others).toStrictEqual([]);
    });
  },
);

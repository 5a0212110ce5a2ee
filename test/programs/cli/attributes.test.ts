import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ATTRIBUTE_KINDS } from '../../../src/programs/cli/attribute-kinds.js';
import { catalog } from '../../../src/resources/index.js';
import { startController } from '../../support/controller.js';
import { NamedEntities, REST_KINDS } from '../../support/named-entities.js';
import { makeGate, makeOfficeCheck } from './gate-and-office.js';
import { overgraph, type Ended } from './overgraph.js';

/** Role attributes in the terminal: the built command against a built controller. */

let controller: Awaited<ReturnType<typeof startController>>;
let folder: string;
const entities = new NamedEntities(() => controller, REST_KINDS);

beforeAll(async () => {
  controller = await startController();
  folder = await mkdtemp(join(tmpdir(), 'overgraph-attributes-'));
  await entities.person('ada', 'staff');
  await entities.make('services', 'wiki', { encryptionRequired: true });
  await makeOfficeCheck(entities);
  await makeGate(entities);
});
afterAll(async () => {
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

const attributes = (...args: readonly string[]): Promise<Ended> =>
  overgraph({ port: controller.port, dataDir: controller.dataDir, folder }, [
    'attributes',
    ...args,
  ]);

const done = (out: string): Ended => ({ code: 0, out: `${out}\n`, err: '' });

describe('attributes', () => {
  it('has a word for each kind of entity with role attributes', () => {
    const kinds = [...catalog.all()].filter((resource) =>
      resource.attributes.has('roleAttributes'),
    );
    expect([...ATTRIBUTE_KINDS].sort()).toStrictEqual(kinds.map(({ single }) => single).sort());
  });

  it.each([
    ['identity', 'ada', '"staff"'],
    ['service', 'wiki', ''],
    ['edge-router', 'gate', '"public"'],
    ['posture-check', 'office', '"at-work"'],
  ])('adds some to an entity of the kind %s, and removes them', async (kind, name, before) => {
    const others = before === '' ? '' : `, ${before}`;
    expect(await attributes('add', kind, name, 'a b', 'A')).toStrictEqual(
      done(`"${name}" has "A", "a b"${others}.`),
    );
    // By the id, and once more.
    expect(await attributes('remove', kind, entities.idOf(name), 'A', 'a b', 'A')).toStrictEqual(
      done(`"${name}" has ${before === '' ? 'no role attributes' : before}.`),
    );
  });

  it('says that there is no such entity, and why attributes are refused', async () => {
    expect(await attributes('add', 'edge-router', 'ada', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('overgraph: there is no edge router "ada"'),
    });
    const { code, err } = await attributes('add', 'identity', 'ada', '#x');
    expect([code, err]).toStrictEqual([2, expect.stringContaining('roleAttributes: ')]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { startController, type TestController } from '../support/controller.js';
import { invalid, refusal } from './support/refusals.js';

let controller: TestController;
let count = 0;
const unique = (): string => `check ${String(++count)}`;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

const read = async (id: string): Promise<Row> =>
  (await controller.rest('GET', `/posture-checks/${id}`)).body.data;
const post = (body: Row) => controller.rest('POST', '/posture-checks', { name: unique(), ...body });

const PROCESS = { osType: 'Windows', path: 'C:\\a.exe', hashes: ['ab', 'cd'] };

/** What is sent, and what is shown of it. */
const KINDS: readonly (readonly [typeId: string, sent: Row, shown: Row])[] = [
  [
    'OS',
    { operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }, { type: 'macOS' }] },
    {
      operatingSystems: [
        { type: 'Linux', versions: ['>=5.0.0'] },
        { type: 'macOS', versions: [] },
      ],
    },
  ],
  [
    'DOMAIN',
    { domains: ['b.example.com', 'a.example.com', 'b.example.com'] },
    { domains: ['a.example.com', 'b.example.com'] },
  ],
  [
    'MAC',
    { macAddresses: ['AA-BB-CC-DD-EE-FF', '00:11:22:33:44:55'] },
    { macAddresses: ['001122334455', 'aabbccddeeff'] },
  ],
  [
    'MFA',
    { timeoutSeconds: 60, promptOnWake: true },
    {
      timeoutSeconds: 60,
      promptOnWake: true,
      promptOnUnlock: false,
      ignoreLegacyEndpoints: false,
    },
  ],
  ['MFA', { timeoutSeconds: 0 }, { timeoutSeconds: -1 }],
  [
    'PROCESS',
    { process: { ...PROCESS, signerFingerprint: 'ef' } },
    { process: { ...PROCESS, signerFingerprint: 'ef' } },
  ],
  [
    'PROCESS_MULTI',
    { semantic: 'AnyOf', processes: [{ ...PROCESS, signerFingerprints: ['ef'] }] },
    { semantic: 'AnyOf', processes: [{ ...PROCESS, signerFingerprints: ['ef'] }] },
  ],
];

const OWN: Readonly<Record<string, readonly string[]>> = {
  OS: ['operatingSystems'],
  DOMAIN: ['domains'],
  MAC: ['macAddresses'],
  MFA: ['timeoutSeconds', 'promptOnWake', 'promptOnUnlock', 'ignoreLegacyEndpoints'],
  PROCESS: ['process'],
  PROCESS_MULTI: ['processes', 'semantic'],
};

describe('a posture check', () => {
  test.each(KINDS)('of type %s is made of %j', async (typeId, sent, shown) => {
    const id = await controller.create('posture-checks', { name: unique(), typeId, ...sent });
    const check = await read(id);
    expect(check).toMatchObject({ typeId, version: 1, roleAttributes: [], ...shown });
    for (const [other, members] of Object.entries(OWN)) {
      for (const member of members) {
        expect([member, member in check]).toEqual([member, other === typeId]);
      }
    }
  });

  test.each(KINDS)('of type %s drops what other types have: %j', async (typeId, sent, shown) => {
    // Consoles send the members of all types at once, empty where they do not apply.
    const everything = {
      domains: [],
      macAddresses: [],
      operatingSystems: [],
      processes: [],
      process: { osType: '', path: '', hashes: [], signerFingerprint: '' },
    };
    const answer = await post({ ...everything, typeId, ...sent });
    expect(answer.status).toBe(201);
    const { id } = answer.body.data as { id: string };
    expect(await read(id)).toMatchObject(shown);
  });

  test.each([
    [{ typeId: '' }, 'typeId'],
    [{ typeId: 'COLOUR' }, 'typeId'],
    [{ typeId: 'DOMAIN' }, 'domains'],
    [{ typeId: 'DOMAIN', domains: [] }, 'domains'],
    [{ typeId: 'MAC', macAddresses: ['00:11:22:33:44'] }, 'macAddresses[0]'],
    [{ typeId: 'OS', operatingSystems: [{ type: 'BeOS' }] }, 'operatingSystems.0.type'],
    [
      { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=5', 'newest'] }] },
      'operatingSystems[Linux][1]',
    ],
    [{ typeId: 'PROCESS' }, 'process'],
    [{ typeId: 'PROCESS', process: { osType: 'Windows', hashes: [] } }, 'process.path'],
    [{ typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [] }, 'processes'],
    [{ typeId: 'PROCESS_MULTI', processes: [PROCESS] }, 'semantic'],
    [{ typeId: 'MFA', timeoutSeconds: 'long' }, 'timeoutSeconds'],
  ])('is not made of %j', async (body, field) => {
    expect(refusal(await post(body))).toEqual(invalid(field));
  });

  test('keeps its type', async () => {
    const id = await controller.create('posture-checks', {
      name: unique(),
      typeId: 'DOMAIN',
      domains: ['a.example.com'],
    });
    const path = `/posture-checks/${id}`;
    await controller.rest('PATCH', path, { typeId: 'MAC', macAddresses: ['00:11:22:33:44:55'] });
    const check = await read(id);
    expect(check).toMatchObject({ typeId: 'DOMAIN', domains: ['a.example.com'] });
    expect(check).not.toHaveProperty('macAddresses');
  });

  test('counts its versions, and changes by PATCH in just what is sent', async () => {
    const id = await controller.create('posture-checks', {
      name: unique(),
      typeId: 'MFA',
      timeoutSeconds: 60,
      promptOnWake: true,
      roleAttributes: ['a'],
    });
    const path = `/posture-checks/${id}`;
    const patched = await controller.rest('PATCH', path, { typeId: 'MFA', promptOnUnlock: true });
    expect(patched.status).toBe(200);
    expect(await read(id)).toMatchObject({
      timeoutSeconds: 60,
      promptOnWake: true,
      promptOnUnlock: true,
      roleAttributes: ['a'],
      version: 2,
    });
    await controller.rest('PUT', path, { name: unique(), typeId: 'MFA' });
    expect(await read(id)).toMatchObject({
      timeoutSeconds: -1,
      promptOnWake: false,
      promptOnUnlock: false,
      roleAttributes: [],
      version: 3,
    });
  });

  test('of another process merges what is sent of it', async () => {
    const id = await controller.create('posture-checks', {
      name: unique(),
      typeId: 'PROCESS',
      process: PROCESS,
    });
    await controller.rest('PATCH', `/posture-checks/${id}`, { process: { path: 'C:\\b.exe' } });
    expect((await read(id)).process).toMatchObject({ ...PROCESS, path: 'C:\\b.exe' });
  });
});

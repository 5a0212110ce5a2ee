import { describe, expect, it, test } from '@jest/globals';
import {
  checkPosture,
  postureCheckTypeIds,
  postureCheckTypes,
} from '../../../src/trust/posture/index.js';
import { refusal } from '../../support/refusal.js';

const process = { osType: 'Linux', path: '/bin/a' } as const;

describe('the posture check types', () => {
  it('carry their type as id and name, with systems that have versions', () => {
    // Those of the published contract come first.
    expect(postureCheckTypes.map(({ id }) => id).slice(0, 6)).toEqual([
      'OS',
      'PROCESS',
      'DOMAIN',
      'MAC',
      'PROCESS_MULTI',
      'MFA',
    ]);
    for (const { id, name } of postureCheckTypes) expect(name).toBe(id);
    for (const { operatingSystems } of postureCheckTypes) {
      expect(operatingSystems.every(({ versions }) => versions.length > 0)).toBe(true);
    }
  });
});

const sound: readonly (readonly [typeId: string, body: unknown, fields: unknown])[] = [
  [
    'OS',
    {
      operatingSystems: [
        { type: 'Linux', versions: ['5'] },
        { type: 'iOS', versions: [] },
        { type: 'Linux', versions: [' >=4.19 <5 '] },
      ],
    },
    {
      operatingSystems: [
        { type: 'Linux', versions: ['>=4.19 <5'] },
        { type: 'iOS', versions: [] },
      ],
    },
  ],
  ['DOMAIN', { domains: ['b', 'a', 'b'] }, { domains: ['a', 'b'] }],
  ['MAC', { macAddresses: ['AB:cd-EF.01 23:45'] }, { macAddresses: ['abcdef012345'] }],
  ['PROCESS', { process }, { process: { ...process, hashes: [], signerFingerprint: '' } }],
  [
    'PROCESS',
    { process: { ...process, hashes: null, signerFingerprint: 'AA' } },
    { process: { ...process, hashes: [], signerFingerprint: 'AA' } },
  ],
  [
    'PROCESS_MULTI',
    { semantic: 'AnyOf', processes: [{ ...process, hashes: ['h'], signerFingerprints: ['s'] }] },
    { semantic: 'AnyOf', processes: [{ ...process, hashes: ['h'], signerFingerprints: ['s'] }] },
  ],
  [
    'MFA',
    {},
    {
      timeoutSeconds: -1,
      promptOnWake: false,
      promptOnUnlock: false,
      ignoreLegacyEndpoints: false,
    },
  ],
  [
    'MFA',
    { timeoutSeconds: 0, promptOnWake: true, domains: ['of another type'] },
    {
      timeoutSeconds: -1,
      promptOnWake: true,
      promptOnUnlock: false,
      ignoreLegacyEndpoints: false,
    },
  ],
];

const faulty: readonly (readonly [typeId: unknown, body: unknown, field: string])[] = [
  [undefined, {}, 'typeId'],
  ['', {}, 'typeId'],
  ['ENDPOINT_STATE', {}, 'typeId'],
  ['os', { operatingSystems: [] }, 'typeId'],
  ['OS', {}, 'operatingSystems'],
  ['OS', { operatingSystems: [] }, 'operatingSystems'],
  ['OS', { operatingSystems: [1] }, 'operatingSystems[0]'],
  ['OS', { operatingSystems: [{ type: 'BeOS', versions: [] }] }, 'operatingSystems[0].type'],
  [
    'OS',
    { operatingSystems: [{ type: 'iOS', versions: ['1', 'bad'] }] },
    'operatingSystems[iOS][1]',
  ],
  ['OS', { operatingSystems: [{ type: 'iOS', versions: '1' }] }, 'operatingSystems[iOS]'],
  ['DOMAIN', { domains: null }, 'domains'],
  ['DOMAIN', { domains: [] }, 'domains'],
  ['DOMAIN', { domains: ['a', ' '] }, 'domains[1]'],
  ['MAC', {}, 'macAddresses'],
  ['MAC', { macAddresses: [] }, 'macAddresses'],
  ['MAC', { macAddresses: ['0123456789ab', '0123'] }, 'macAddresses[1]'],
  ['PROCESS', {}, 'process'],
  ['PROCESS', { process: { path: '/a' } }, 'process.osType'],
  ['PROCESS', { process: { osType: 'Linux' } }, 'process.path'],
  ['PROCESS', { process: { ...process, hashes: [1] } }, 'process.hashes[0]'],
  ['PROCESS', { process: { ...process, signerFingerprint: 1 } }, 'process.signerFingerprint'],
  ['PROCESS_MULTI', { processes: [process] }, 'semantic'],
  ['PROCESS_MULTI', { semantic: 'OneOf', processes: [process] }, 'semantic'],
  ['PROCESS_MULTI', { semantic: 'AllOf' }, 'processes'],
  ['PROCESS_MULTI', { semantic: 'AllOf', processes: [] }, 'processes'],
  ['PROCESS_MULTI', { semantic: 'AllOf', processes: [{ osType: 'iOS' }] }, 'processes[0].path'],
  ['MFA', { timeoutSeconds: 1.5 }, 'timeoutSeconds'],
  ['MFA', { timeoutSeconds: 2 ** 31 }, 'timeoutSeconds'],
  ['MFA', { promptOnWake: 'yes' }, 'promptOnWake'],
];

describe('the body of a posture check', () => {
  test.each(sound)('of type %s %j is stored as %j', (typeId, body, fields) => {
    expect(checkPosture(typeId, body, 'create')).toEqual(fields);
    expect(checkPosture(undefined, body, 'replace', { typeId })).toEqual(fields);
    expect(checkPosture(typeId, body, 'patch', { typeId })).toEqual(
      typeId === 'MFA' ? expect.any(Object) : fields,
    );
  });

  test.each(faulty)('of type %j %j is refused at %s', (typeId, body, field) => {
    expect(refusal(checkPosture, typeId, body, 'create')?.field).toBe(field);
  });
});

describe('a change of a posture check', () => {
  const others = postureCheckTypeIds.filter((id) => id !== 'MFA');

  test.each(others)('never makes it a %s check', (typeId) => {
    for (const verb of ['replace', 'patch'] as const) {
      expect(refusal(checkPosture, typeId, {}, verb, { typeId: 'MFA' })?.field).toBe('typeId');
    }
  });

  it('names the type when it is partial', () => {
    expect(refusal(checkPosture, null, {}, 'patch', { typeId: 'MFA' })?.field).toBe('typeId');
  });

  test.each(postureCheckTypeIds)('leaves a %s check alone where nothing is sent', (typeId) => {
    const body = { timeoutSeconds: null, process: null, domains: null };
    expect(checkPosture(typeId, body, 'patch', { typeId })).toEqual({});
  });

  it('keeps the parts of a process that are not sent, but for a replacement', () => {
    const stored = {
      typeId: 'PROCESS',
      process: { ...process, hashes: ['h'], signerFingerprint: 's' },
    } as const;
    const change = { process: { path: '/bin/b', signerFingerprint: '' } };
    expect(checkPosture('PROCESS', change, 'patch', stored)).toEqual({
      process: { osType: 'Linux', path: '/bin/b', hashes: ['h'], signerFingerprint: '' },
    });
    expect(refusal(checkPosture, 'PROCESS', change, 'replace', stored)?.field).toBe(
      'process.osType',
    );
  });
});

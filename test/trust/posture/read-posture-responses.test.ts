import { describe, expect, it, test } from '@jest/globals';
import { readPostureResponse, readPostureResponses } from '../../../src/trust/posture/index.js';
import { refusal } from '../../support/refusal.js';

const id = 'c1';

const sound: readonly (readonly [body: object, response: object])[] = [
  [
    { typeId: 'OS', id, type: 'Linux', version: '5.15.0', build: '91' },
    { typeId: 'OS', id, type: 'Linux', version: '5.15.0', build: '91' },
  ],
  [
    { typeId: 'OS', id, type: '', version: '', build: null },
    { typeId: 'OS', id, type: '', version: '', build: '' },
  ],
  [
    { typeId: 'DOMAIN', id, domain: '' },
    { typeId: 'DOMAIN', id, domain: '' },
  ],
  [
    { typeId: 'MAC', id, macAddresses: [] },
    { typeId: 'MAC', id, macAddresses: [] },
  ],
  [
    { typeId: 'PROCESS', id },
    { typeId: 'PROCESS', id, path: '', isRunning: false, hash: '', signerFingerprints: [] },
  ],
  [
    { typeId: 'PROCESS', id, path: null, isRunning: null, hash: null, signerFingerprints: null },
    { typeId: 'PROCESS', id, path: '', isRunning: false, hash: '', signerFingerprints: [] },
  ],
  [
    { typeId: 'PROCESS', id, path: '/a', isRunning: true, hash: 'h', signerFingerprints: ['s'] },
    { typeId: 'PROCESS', id, path: '/a', isRunning: true, hash: 'h', signerFingerprints: ['s'] },
  ],
  [
    { typeId: 'ENDPOINT_STATE', id: '0' },
    { typeId: 'ENDPOINT_STATE', id: '0', woken: false, unlocked: false },
  ],
  [
    { typeId: 'ENDPOINT_STATE', id: '0', woken: true, unlocked: null, lastUpdatedAt: 1 },
    { typeId: 'ENDPOINT_STATE', id: '0', woken: true, unlocked: false },
  ],
];

const os = { typeId: 'OS', id, type: 'Linux', version: '5.15.0' };
const process = { typeId: 'PROCESS', id };

const faulty: readonly (readonly [body: unknown, field: string])[] = [
  [undefined, 'body'],
  ['OS', 'body'],
  [[], 'body'],
  [{}, 'typeId'],
  [{ id, typeId: null }, 'typeId'],
  [{ id, typeId: 'os' }, 'typeId'],
  [{ id, typeId: 'MFA' }, 'typeId'],
  [{ id, typeId: 'PROCESS_MULTI' }, 'typeId'],
  [{ id, typeId: 'postureResponseDomainCreate' }, 'typeId'],
  [{ id, typeId: 'toString' }, 'typeId'],
  [{ ...os, id: undefined }, 'id'],
  [{ ...os, id: '' }, 'id'],
  [{ ...os, id: 7 }, 'id'],
  [{ ...os, id: 'x'.repeat(256) }, 'id'],
  [{ ...os, type: undefined }, 'type'],
  [{ ...os, type: null }, 'type'],
  [{ ...os, version: undefined }, 'version'],
  [{ ...os, version: 5 }, 'version'],
  [{ ...os, version: '5'.repeat(256) }, 'version'],
  [{ ...os, build: false }, 'build'],
  [{ ...os, type: 'a\0b' }, 'type'],
  [{ ...os, type: '\ud800' }, 'type'],
  [{ typeId: 'DOMAIN', id }, 'domain'],
  [{ typeId: 'DOMAIN', id, domain: ['a'] }, 'domain'],
  [{ typeId: 'MAC', id }, 'macAddresses'],
  [{ typeId: 'MAC', id, macAddresses: '0a' }, 'macAddresses'],
  [{ typeId: 'MAC', id, macAddresses: ['0a', 1] }, 'macAddresses[1]'],
  [{ typeId: 'MAC', id, macAddresses: Array(257).fill('0a') }, 'macAddresses'],
  [{ ...process, path: 1 }, 'path'],
  [{ ...process, path: '/'.repeat(4097) }, 'path'],
  [{ ...process, isRunning: 'true' }, 'isRunning'],
  [{ ...process, hash: {} }, 'hash'],
  [{ ...process, signerFingerprints: 'a' }, 'signerFingerprints'],
  [{ ...process, signerFingerprints: [null] }, 'signerFingerprints[0]'],
  [{ ...process, signerFingerprints: Array(33).fill('a') }, 'signerFingerprints'],
  [{ typeId: 'ENDPOINT_STATE', id, woken: 1 }, 'woken'],
  [{ typeId: 'ENDPOINT_STATE', id, unlocked: 'no' }, 'unlocked'],
];

describe('a posture response', () => {
  test.each(sound)('%j is read', (body, response) => {
    expect(readPostureResponse(body)).toStrictEqual(response);
    expect(readPostureResponses([body])).toStrictEqual([response]);
  });

  test.each(faulty)('%j is refused at %s', (body, field) => {
    expect(refusal(readPostureResponse, body)?.field).toBe(field);
  });

  test.each(faulty)('%j among others is refused with its place', (body, field) => {
    const place = field === 'body' ? '[2]' : `[2].${field}`;
    expect(refusal(readPostureResponses, [os, process, body, os])?.field).toBe(place);
  });
});

describe('many posture responses', () => {
  it('are a list, which may be empty', () => {
    expect(readPostureResponses([])).toStrictEqual([]);
    expect(refusal(readPostureResponses, os)?.field).toBe('body');
    expect(refusal(readPostureResponses, null)?.field).toBe('body');
  });

  it('are at most 500', () => {
    expect(readPostureResponses(Array(500).fill(os))).toHaveLength(500);
    expect(refusal(readPostureResponses, Array(501).fill(os))?.field).toBe('body');
  });
});

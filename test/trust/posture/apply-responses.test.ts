import { describe, expect, it, test } from '@jest/globals';
import {
  applyResponses,
  noPostureData,
  noSessionPosture,
  noteTimeouts,
  passMfa,
  readPostureResponses,
  revokeMfa,
  type PostureData,
  type SessionPosture,
} from '../../../src/trust/posture/index.js';

const T1 = Date.parse('2026-01-01T10:00:00Z');
const T2 = T1 + 60_000;

const apply = (
  bodies: readonly object[],
  now = T1,
  data: PostureData = noPostureData,
  session: SessionPosture = noSessionPosture,
) => applyResponses(data, session, readPostureResponses(bodies), now);

const os = { typeId: 'OS', id: 'o', type: 'Linux', version: '5.15.0' };
const domain = { typeId: 'DOMAIN', id: 'd', domain: 'corp.example' };
const mac = {
  typeId: 'MAC',
  id: 'm',
  macAddresses: ['0A:1B:2C:3D:4E:5F', '00-11-22-33-44-55', ''],
};
const process = { typeId: 'PROCESS', id: 'p', path: '/a', isRunning: true, hash: 'AA:BB' };
const state = { typeId: 'ENDPOINT_STATE', id: '0' };

describe('responses', () => {
  it('are kept with the time of the server, in the form in which they are compared', () => {
    const bodies = [os, domain, mac, { ...process, signerFingerprints: ['CC DD', 'aa', 'AA'] }];
    expect(apply(bodies)).toStrictEqual({
      data: {
        os: { postureCheckId: 'o', lastUpdatedAt: T1, type: 'Linux', version: '5.15.0', build: '' },
        domain: { postureCheckId: 'd', lastUpdatedAt: T1, domain: 'corp.example' },
        mac: {
          postureCheckId: 'm',
          lastUpdatedAt: T1,
          addresses: ['001122334455', '0a1b2c3d4e5f'],
        },
        processes: [
          {
            postureCheckId: 'p',
            lastUpdatedAt: T1,
            path: '/a',
            isRunning: true,
            binaryHash: 'aabb',
            signerFingerprints: ['aa', 'ccdd'],
          },
        ],
      },
      session: noSessionPosture,
      changed: true,
    });
  });

  it('leave what is known as it was, as an object', () => {
    const { data, session } = apply([os, process, { ...state, woken: true }]);
    const before = structuredClone({ data, session });
    apply([mac, { ...os, version: '6.0.0' }, { ...process, isRunning: false }], T2, data, session);
    expect({ data, session }).toStrictEqual(before);
  });

  it('survive being stored as JSON', () => {
    const { data, session } = apply([os, domain, mac, process, { ...state, woken: true }]);
    expect(JSON.parse(JSON.stringify({ data, session }))).toStrictEqual({ data, session });
  });

  it('are none without a response', () => {
    const applied = apply([]);
    expect(applied.data).toBe(noPostureData);
    expect(applied.session).toBe(noSessionPosture);
    expect(applied.changed).toBe(false);
  });

  it('replace those of their kind, processes those of their check and path', () => {
    const bodies = [
      process,
      { ...os, type: 'macOS' },
      { ...process, path: '/b' },
      { ...process, id: 'q' },
      os,
      { ...process, isRunning: false },
    ];
    const { data } = apply(bodies);
    expect(data.os?.type).toBe('Linux');
    expect(data.processes.map((p) => [p.postureCheckId, p.path, p.isRunning])).toStrictEqual([
      ['p', '/b', true],
      ['q', '/a', true],
      ['p', '/a', false],
    ]);
  });

  it('take no more room than 500 processes, the latest', () => {
    const bodies = Array.from({ length: 400 }, (_, i) => ({ ...process, path: `/${i}` }));
    const { data } = apply(bodies);
    const more = apply(
      bodies.map((b) => ({ ...b, id: 'q' })),
      T2,
      data,
    ).data.processes;
    expect(more).toHaveLength(500);
    expect(more.filter((p) => p.postureCheckId === 'q')).toHaveLength(400);
  });

  it('may name anything as a check', () => {
    const { data } = apply([{ ...process, id: '__proto__', path: 'constructor' }]);
    expect(data.processes[0]?.postureCheckId).toBe('__proto__');
  });
});

describe('the state', () => {
  const bodies = [os, domain, mac, process, { ...process, id: 'q', path: '/b' }];
  const { data } = apply(bodies);

  test.each([
    ['all of it', bodies],
    ['a part', [process]],
    ['in other order', [...bodies].reverse()],
    ['in other spelling', [{ ...mac, macAddresses: ['001122334455', '0a1b2c3d4e5f'] }]],
    ['as the answer to another check', [{ ...os, id: 'other' }]],
    ['nothing', []],
    ['no event', [state]],
  ])('does not change when %s is said again', (_, again) => {
    expect(apply(again, T2, data).changed).toBe(false);
  });

  it('keeps the time at which it was said last', () => {
    const again = apply([os], T2, data);
    expect(again.data.os?.lastUpdatedAt).toBe(T2);
    expect(again.data.domain?.lastUpdatedAt).toBe(T1);
  });

  test.each([
    ['version', { ...os, version: '5.15.1' }],
    ['build', { ...os, build: '2' }],
    ['domain', { ...domain, domain: 'other.example' }],
    ['address', { ...mac, macAddresses: ['001122334455'] }],
    ['process', { ...process, isRunning: false }],
    ['path', { ...process, path: '/c' }],
    ['hash', { ...process, hash: '' }],
    ['signer', { ...process, signerFingerprints: ['aa'] }],
    ['check', { ...process, id: 'r' }],
  ])('changes with the %s', (_, body) => {
    expect(apply([body], T2, data).changed).toBe(true);
  });

  it('changes when another report of a path comes to count', () => {
    const two = apply([process, { ...process, id: 'q', isRunning: false }]).data;
    expect(apply([process], T2, two).changed).toBe(true);
  });
});

describe('the state of an API session', () => {
  it('keeps the last event of each kind, and each event is a change', () => {
    const first = apply([{ ...state, woken: true }]);
    expect(first).toMatchObject({ session: { wokenAt: T1 }, changed: true });
    expect(first.data).toBe(noPostureData);
    const both = apply([{ ...state, unlocked: true }], T2, noPostureData, first.session);
    expect(both).toMatchObject({ session: { wokenAt: T1, unlockedAt: T2 }, changed: true });
    const again = apply([{ ...state, woken: true }], T2, noPostureData, both.session);
    expect(again).toMatchObject({ session: { wokenAt: T2, unlockedAt: T2 }, changed: true });
  });

  const check = { id: 'c', typeId: 'MFA', timeoutSeconds: 60 } as const;

  it('remembers the checks that have timed out until MFA is passed', () => {
    const passed = passMfa(noSessionPosture, T1);
    const other = { ...check, id: 'b', timeoutSeconds: 61 };
    const never = { ...check, id: 'a', timeoutSeconds: -1 };
    expect(noteTimeouts(passed, [check], T2)).toBe(passed);
    const noted = noteTimeouts(passed, [check, other, never], T2 + 1);
    expect(noted.timedOutChecks).toStrictEqual(['c']);
    expect(noteTimeouts(noted, [check], T2 + 5)).toBe(noted);
    expect(noteTimeouts(noted, [other], T2 + 1001).timedOutChecks).toStrictEqual(['b', 'c']);
    expect(passMfa(noted, T2)).toStrictEqual({ passedMfaAt: T2, timedOutChecks: [] });
  });

  it('times nothing out that was never passed', () => {
    expect(noteTimeouts(noSessionPosture, [check], T2)).toBe(noSessionPosture);
  });

  it('loses MFA and keeps its events', () => {
    const { session } = apply(
      [{ ...state, woken: true }],
      T1,
      noPostureData,
      passMfa(noSessionPosture, T1),
    );
    expect(JSON.parse(JSON.stringify(revokeMfa(session)))).toStrictEqual({
      wokenAt: T1,
      timedOutChecks: [],
    });
  });
});

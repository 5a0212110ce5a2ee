import { describe, expect, it } from '@jest/globals';
import {
  applyResponses,
  noPostureData,
  noSessionPosture,
  passMfa,
  readPostureResponses,
  viewPostureData,
} from '../../../src/trust/posture/index.js';

const T1 = Date.parse('2026-01-01T10:00:00Z');
const AT_T1 = '2026-01-01T10:00:00.000Z';

/** The published members of the view; other types of checks add theirs. */
function published(...args: Parameters<typeof viewPostureData>) {
  const { os, domain, mac, processes, apiSessionPostureData } = viewPostureData(...args);
  return { os, domain, mac, processes, apiSessionPostureData };
}

describe('the posture data of an identity', () => {
  it('is empty before there is any', () => {
    const nothing = { postureCheckId: '', lastUpdatedAt: null, timedOut: false };
    expect(published(noPostureData, new Map(), T1)).toStrictEqual({
      os: { ...nothing, type: '', version: '', build: '' },
      domain: { ...nothing, domain: '' },
      mac: { ...nothing, addresses: [] },
      processes: [],
      apiSessionPostureData: {},
    });
  });

  it('tells what was reported, and when', () => {
    const responses = readPostureResponses([
      { typeId: 'OS', id: 'o', type: 'Linux', version: '5.15.0', build: '91' },
      { typeId: 'DOMAIN', id: 'd', domain: 'corp.example' },
      { typeId: 'MAC', id: 'm', macAddresses: ['0A:1B:2C:3D:4E:5F'] },
      {
        typeId: 'PROCESS',
        id: 'p',
        path: '/a',
        isRunning: true,
        hash: 'aa',
        signerFingerprints: ['bb'],
      },
    ]);
    const { data } = applyResponses(noPostureData, noSessionPosture, responses, T1);
    const stamp = { lastUpdatedAt: AT_T1, timedOut: false };
    expect(published(data, new Map(), T1)).toStrictEqual({
      os: { postureCheckId: 'o', ...stamp, type: 'Linux', version: '5.15.0', build: '91' },
      domain: { postureCheckId: 'd', ...stamp, domain: 'corp.example' },
      mac: { postureCheckId: 'm', ...stamp, addresses: ['0a1b2c3d4e5f'] },
      processes: [
        {
          postureCheckId: 'p',
          ...stamp,
          binaryHash: 'aa',
          isRunning: true,
          signerFingerprints: ['bb'],
        },
      ],
      apiSessionPostureData: {},
    });
  });

  it('tells of each API session what it passed and what happened on the device', () => {
    const sdkInfo = { type: 'ziti-sdk-c', version: '1.18.7' };
    const sessions = new Map([
      ['none', noSessionPosture],
      ['passed', { ...passMfa(noSessionPosture, T1), wokenAt: T1 - 1, sdkInfo }],
      ['grace over', { ...passMfa(noSessionPosture, T1), wokenAt: T1 + 1, unlockedAt: T1 + 2 }],
    ]);
    const view = viewPostureData(noPostureData, sessions, T1 + 300_001);
    expect(view.apiSessionPostureData).toStrictEqual({
      none: {
        mfa: {
          apiSessionId: 'none',
          passedMfa: false,
          passedAt: null,
          passedOnWake: false,
          passedOnUnlock: false,
        },
        endpointState: { wokenAt: null, unlockedAt: null },
      },
      passed: {
        mfa: {
          apiSessionId: 'passed',
          passedMfa: true,
          passedAt: AT_T1,
          passedOnWake: true,
          passedOnUnlock: true,
        },
        endpointState: { wokenAt: '2026-01-01T09:59:59.999Z', unlockedAt: null },
        sdkInfo,
      },
      'grace over': {
        mfa: {
          apiSessionId: 'grace over',
          passedMfa: true,
          passedAt: AT_T1,
          passedOnWake: false,
          passedOnUnlock: true,
        },
        endpointState: {
          wokenAt: '2026-01-01T10:00:00.001Z',
          unlockedAt: '2026-01-01T10:00:00.002Z',
        },
      },
    });
  });
});

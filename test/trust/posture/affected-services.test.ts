import { describe, expect, it, test } from '@jest/globals';
import {
  affectedServices,
  endpointEvents,
  noSessionPosture,
  passMfa,
  readPostureResponses,
  type PostureCheckSpec,
} from '../../../src/trust/posture/index.js';

const T1 = Date.parse('2026-01-01T10:00:00Z');
const passed = passMfa(noSessionPosture, T1);
const WOKEN = { woken: true, unlocked: false };
const UNLOCKED = { woken: false, unlocked: true };

const mfa = (spec: Partial<PostureCheckSpec>): PostureCheckSpec => ({
  id: 'c',
  typeId: 'MFA',
  ...spec,
});
const onWake = (timeoutSeconds?: number, id = 'c'): PostureCheckSpec =>
  mfa({ id, promptOnWake: true, timeoutSeconds });
const service = (...checks: PostureCheckSpec[]) => ({ id: 's', name: 'web', checks });
const affected = (timeout: number) => ({
  serviceId: 's',
  serviceName: 'web',
  postureQueryType: 'MFA',
  timeout,
  timeoutRemaining: 300,
});

describe('a service is affected by an event', () => {
  const HOUR = 3600;
  test.each([
    ['without timeout', [onWake(-1)], WOKEN, 0, -1],
    ['with a timeout of none', [onWake()], WOKEN, 0, -1],
    ['with more than 300 s left', [onWake(HOUR)], WOKEN, (HOUR - 300) * 1000 - 1, HOUR],
    ['with 300 s left', [onWake(HOUR)], WOKEN, (HOUR - 300) * 1000, undefined],
    ['with nothing left', [onWake(HOUR)], WOKEN, HOUR * 1000 + 1, undefined],
    ['that the check does not ask after', [onWake()], UNLOCKED, 0, undefined],
    ['of unlocking', [mfa({ promptOnUnlock: true })], UNLOCKED, 0, -1],
    ['of both kinds', [mfa({ promptOnUnlock: true })], { woken: true, unlocked: true }, 0, -1],
    ['that did not happen', [onWake()], { woken: false, unlocked: false }, 0, undefined],
    ['without a check that asks', [mfa({}), mfa({ promptOnWake: false })], WOKEN, 0, undefined],
    ['without checks', [], WOKEN, 0, undefined],
    ['with the shortest timeout', [onWake(), onWake(7200), onWake(HOUR)], WOKEN, 0, HOUR],
    ['with what is left of it', [onWake(60), onWake(7200)], WOKEN, 0, 7200],
    [
      'of a check of another type',
      [{ ...onWake(), typeId: 'DOMAIN' as const }],
      WOKEN,
      0,
      undefined,
    ],
  ])('%s', (_, checks, events, elapsed, timeout) => {
    expect(affectedServices([service(...checks)], events, passed, T1 + elapsed)).toStrictEqual(
      timeout === undefined ? [] : [affected(timeout)],
    );
  });

  it('not unless MFA was passed', () => {
    expect(affectedServices([service(onWake())], WOKEN, noSessionPosture, T1)).toStrictEqual([]);
  });

  it('not when the check has timed out already', () => {
    const session = { ...passed, timedOutChecks: ['c'] };
    expect(affectedServices([service(onWake())], WOKEN, session, T1)).toStrictEqual([]);
  });
});

describe('the events of responses', () => {
  const state = { typeId: 'ENDPOINT_STATE', id: '0' };
  test.each([
    [[], { woken: false, unlocked: false }],
    [[state], { woken: false, unlocked: false }],
    [[{ ...state, woken: true }], WOKEN],
    [
      [{ ...state, woken: true }, state, { ...state, unlocked: true }],
      { woken: true, unlocked: true },
    ],
    [[{ typeId: 'DOMAIN', id: 'd', domain: '', woken: true }], { woken: false, unlocked: false }],
  ])('%j are %j', (bodies, events) => {
    expect(endpointEvents(readPostureResponses(bodies))).toStrictEqual(events);
  });
});

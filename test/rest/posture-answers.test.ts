import { expect, test } from '@jest/globals';
import { declaredRows } from '../../rest-compat/declared/declared-rows.js';
import { buildGraph, operations } from '../../src/graph/index.js';
import { catalog } from '../../src/resources/index.js';

/* What REST bodies show of posture follows from the declared types. */

const rows = declaredRows(catalog, await buildGraph(catalog, operations));

function bodyOf(operationId: string, value: unknown): unknown {
  const answer = rows.find((row) => row.operationId === operationId)?.answer;
  if (answer?.kind !== 'data') throw new Error(`${operationId} gives no data`);
  return (answer.view as (result: unknown) => unknown)({ value });
}

test('posture data has API sessions by id, without members that are not reported', () => {
  const software = { appId: 'tunnel', appVersion: null, branch: null, revision: null, type: null };
  const session = (apiSessionId: string, software: object) => ({
    ...software,
    mfa: { apiSessionId, passedMfa: false, passedAt: null },
    endpointState: { wokenAt: null, unlockedAt: null },
  });
  const apiSessions = [session('a', { sdkInfo: null }), session('b', { sdkInfo: software })];
  const postureData = { os: { type: 'Linux' }, apiSessions };
  expect(bodyOf('getIdentityPostureData', postureData)).toStrictEqual({
    os: { type: 'Linux' },
    apiSessionPostureData: {
      a: session('a', {}),
      b: session('b', { sdkInfo: { appId: 'tunnel' } }),
    },
  });
});

test('a failed check lacks members that its type lacks, and has values that are null', () => {
  const check = { actualValue: null, expectedValue: ['a.com'], postureCheckId: 'c' };
  const requests = (failure: object) => [
    { policyFailures: [{ policyId: 'p', checks: [failure] }] },
  ];
  const bodyWith = (failure: object): unknown =>
    bodyOf('getIdentityFailedServiceRequests', requests(failure));
  expect(bodyWith({ ...check, semantic: null, criteria: null })).toStrictEqual(requests(check));
  const failedMfa = { ...check, criteria: { wokenAt: null, timeoutSeconds: 60 } };
  expect(bodyWith(failedMfa)).toStrictEqual(requests(failedMfa));
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hasReplaced, isCurrent } from '../../../src/trust/oidc/replaced-tokens.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';

/* A client that lost the answer to its refresh asks another controller, whose clock is ahead or behind. */

const APART_MILLIS = 120_000;

let two: TwoInProcess;

beforeAll(async () => {
  two = await startTwo({}, { now: () => new Date(Date.now() + APART_MILLIS) });
});
afterAll(() => two.stop());

test.each([
  ['ahead', () => [two.controller, two.other] as const],
  ['behind', () => [two.other, two.controller] as const],
])('a clock that is %s makes no thief of it', async (_, controllers) => {
  const [first, next] = controllers();
  const { id } = await first.openSession(await first.defaultAdminId(), { oidcClient: 'native' });
  const claims = {
    ...{ jti: randomUUID(), apiSessionId: id, identityId: '', clientId: 'native', scopes: [] },
    ...{ expiresAt: new Date(Date.now() + 86_400_000), authenticatedAt: new Date() },
    fingerprints: [],
  };
  expect(await hasReplaced(first.anonymous(), claims)).toBe(true);
  expect(await isCurrent(next.anonymous(), claims)).toBe(true);
  expect(await hasReplaced(next.anonymous(), claims)).toBe(true);
});

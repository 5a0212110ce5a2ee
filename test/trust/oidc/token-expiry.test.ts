import { mock } from 'node:test';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { atExpiry } from '../../../src/graph/subscriptions/token-expiry.js';

/* When a connection hears that its access token has expired. */

const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY = 86_400_000;

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: NOW });
});
afterEach(() => {
  mock.timers.reset();
});

const now = (): Date => new Date();
const callerUntil = (millis: number) => ({
  accessToken: { id: 'its id', text: '', clientId: 'native', expiresAt: new Date(NOW + millis) },
});

test.each([0, 1, 30_000, 24 * DAY, 25 * DAY, 400 * DAY])(
  'after %d ms, not earlier, and once',
  (millis) => {
    let count = 0;
    atExpiry(callerUntil(millis), now, () => (count += 1));
    if (millis > 0) mock.timers.tick(millis - 1);
    expect(count).toBe(0);
    mock.timers.tick(1);
    expect(count).toBe(1);
    mock.timers.tick(DAY);
    expect(count).toBe(1);
  },
);

test('never for other sessions, and never when the connection has ended', () => {
  let isEnded = false;
  const end = (): void => {
    isEnded = true;
  };
  atExpiry({}, now, end);
  atExpiry(callerUntil(DAY), now, end)();
  const ignore = atExpiry(callerUntil(60 * DAY), now, end);
  mock.timers.tick(30 * DAY);
  ignore();
  mock.timers.tick(60 * DAY);
  expect(isEnded).toBe(false);
});

import { expect, test } from '@jest/globals';
import { ApiError, rateLimited, retryAfterOf, type ErrorCode } from '../../src/base/errors.js';

const hint = (code: ErrorCode): number | undefined => retryAfterOf(new ApiError(code));

test.each<ErrorCode>([
  'RATE_LIMITED',
  'SERVER_TOO_MANY_REQUESTS',
  'SUBSCRIBER_TOO_SLOW',
  'TIMEOUT',
  'UNAVAILABLE',
])('%s tells when to come back', (code) => {
  expect(hint(code)).toBe(1);
});

test.each<ErrorCode>(['NOT_FOUND', 'UNAUTHORIZED', 'UNHANDLED'])('%s is final', (code) => {
  expect(hint(code)).toBeUndefined();
});

test.each([
  [59.001, 60],
  [0.2, 1],
  [-3, 1],
])('%d seconds are told as %d', (seconds, told) => {
  expect(retryAfterOf(rateLimited('wait', seconds))).toBe(told);
});

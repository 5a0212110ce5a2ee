import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestClock } from '../trust/auth/in-process-logins.js';
import { TwoControllers } from '../network/presence/two-controllers.js';
import { clientAnswers, type ClientAnswers } from './support/client-answers.js';
import { PAGE, READS, type AnswerName } from './support/client-reads.js';
import { misfits, type Shape } from './support/shapes.js';

/* The members of answers that the public SDKs read, held against the answers. */

let network: TwoControllers;
let given: ClientAnswers;

beforeAll(async () => {
  network = await TwoControllers.start(false, new TestClock(Date.now()));
  given = await clientAnswers(network);
});
afterAll(() => network.stop());

const READERS = Object.entries(READS).flatMap(([name, readers]) =>
  Object.entries<Shape>(readers).map(([sdk, shape]) => [sdk, name as AnswerName, shape] as const),
);

test.each(READERS)('the SDK for %s can read %s', (_, name, shape) => {
  expect(misfits(given.answers[name], shape)).toEqual([]);
});

describe('every SDK', () => {
  test.each(['routers', 'services', 'terminators', 'controllers', 'signers'])(
    'can read how many %s there are',
    (name) => {
      expect(misfits(given.pages[name], PAGE, 'meta')).toEqual([]);
    },
  );
});

test('the SDK for Go takes an enrollment for JSON by exactly this content type', () => {
  expect(given.contentType).toBe('application/json');
});

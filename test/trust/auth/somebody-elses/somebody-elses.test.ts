import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OF_CERTIFICATES } from './certificates.js';
import { CSRS } from './csrs.js';
import { COUNTS, LOGIN_METHODS, MATRIX, type Attempt, type Door } from './matrix.js';
import { Net } from './net.js';
import { REQUESTS } from './requests.js';
import { ROUTERS } from './routers.js';
import { SECOND_FACTORS } from './second-factor.js';
import { SECRETS } from './secrets.js';

/* A valid proof of somebody else is refused at each door, and the own one counts there. */

const ATTEMPTS: readonly Attempt[] = [
  ...SECRETS,
  ...SECOND_FACTORS,
  ...REQUESTS,
  ...OF_CERTIFICATES,
  ...CSRS,
  ...ROUTERS,
];

let net: Net;

beforeAll(async () => {
  net = await Net.start();
});
afterAll(() => net.stop());

test('each proof is attempted at each of its doors', () => {
  const attempted: Record<string, Set<Door>> = {};
  for (const { proof, door } of ATTEMPTS) (attempted[proof] ??= new Set()).add(door);
  const expected = Object.entries(MATRIX).map(([proof, doors]) => [proof, new Set<Door>(doors)]);
  expect(attempted).toEqual(Object.fromEntries(expected));
});

test('each method of a login is a proof of the table', async () => {
  const text = await readFile('schema/edge-client.json', 'utf8');
  const { paths } = JSON.parse(text) as {
    paths: { '/authenticate': { post: { parameters: { schema: { enum: string[] } }[] } } };
  };
  const [method] = paths['/authenticate'].post.parameters;
  expect(method?.schema.enum).toEqual(Object.keys(LOGIN_METHODS));
});

describe.each(Object.keys(MATRIX))('a valid %s of somebody else is refused', (ofProof) => {
  const attempts = ATTEMPTS.filter(({ proof }) => proof === ofProof);

  test.each(attempts)('$door: $at', async ({ prepare, refusal }) => {
    const present = await prepare(net);
    expect(await present('of somebody else')).toBe(refusal);
    expect(await present('own')).toBe(COUNTS);
  });
});

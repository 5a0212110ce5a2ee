import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import { InProcess } from '../../support/in-process.js';
import { check, results } from './runs.js';

/** One run at a time, among all controllers of a database. */

let first: InProcess;
let second: InProcess;
let now = new Date('2026-11-20T12:00:00Z');

beforeAll(async () => {
  first = await InProcess.start(undefined, { now: () => now });
  second = await InProcess.start(first, { now: () => now });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const sqlText = (text: string): Promise<unknown> => first.parts.database.pool.query(text);

beforeEach(() => sqlText('delete from integrity_run'));

const START = 'mutation { checkDataIntegrity { inProgress fixingErrors } }';
const NOTHING = { error: null, fixingErrors: false, tooManyErrors: false, results: [] };

/** As if a controller elsewhere were at it, which shows life for `seconds` more. */
const heldElsewhere = (seconds: number): Promise<unknown> =>
  sqlText(`insert into integrity_run (name, holder, fixing, started_at, results, lapses_at)
    values ('network', 'elsewhere', true, '2026-11-20T11:00:00Z', '[{"description":"x","fixed":true}]',
      now() + interval '${String(seconds)} s')`);

describe('a run', () => {
  test('was never there before the first', async () => {
    expect(await results(first)).toStrictEqual({
      ...NOTHING,
      startTime: null,
      endTime: null,
      inProgress: false,
    });
  });

  test('tells its times, at every controller', async () => {
    now = new Date('2026-11-20T12:34:56Z');
    expect(await check(first)).toStrictEqual([]);
    for (const on of [first, second]) {
      expect(await results(on)).toStrictEqual({
        ...NOTHING,
        startTime: now.toISOString(),
        endTime: now.toISOString(),
        inProgress: false,
      });
    }
  });

  test('is begun once by those who ask together', async () => {
    const blocker = await first.parts.database.pool.connect();
    // The run can not end before all have asked.
    await blocker.query('begin; lock table service in access exclusive mode');
    const asked = await Promise.all([first, second, first, second].map((on) => on.graph(START)));
    await blocker.query('rollback');
    blocker.release();
    const codes = asked.map(({ errors }) => errors[0]?.code ?? 'begun').sort();
    expect(codes).toStrictEqual(['RATE_LIMITED', 'RATE_LIMITED', 'RATE_LIMITED', 'begun']);
    for (const on of [first, second]) await on.ctx().modules.integrity.idle();
  });

  test('is refused while one is under way elsewhere, whose results are shown', async () => {
    await heldElsewhere(30);
    for (const verb of ['check', 'fix']) {
      const { errors } = await first.graph(`mutation { ${verb}DataIntegrity { inProgress } }`);
      expect([errors[0]?.code, errors[0]?.status]).toStrictEqual(['RATE_LIMITED', 429]);
      expect(errors[0]?.retryAfter).toBe(5);
    }
    expect(await results(second)).toStrictEqual({
      ...NOTHING,
      startTime: '2026-11-20T11:00:00.000Z',
      endTime: null,
      inProgress: true,
      fixingErrors: true,
      results: [{ description: 'x', fixed: true }],
    });
  });

  test('of a controller that is gone frees the place', async () => {
    await heldElsewhere(-1);
    expect(await results(first)).toMatchObject({
      inProgress: false,
      error: 'the controller that ran it is gone',
      endTime: expect.any(String),
    });
    expect(await check(first)).toStrictEqual([]);
    expect(await results(second)).toMatchObject({ error: null, results: [] });
  });

  test('ends when another has taken its place', async () => {
    const runs = first.ctx().modules.integrity;
    await runs.start(first.ctx(), false);
    await sqlText("update integrity_run set holder = 'elsewhere', results = '[]'");
    await runs.idle();
    expect(await results(first)).toMatchObject({ inProgress: true, error: null });
  });

  test('of a controller that stops ends with it, and says so', async () => {
    const third = await InProcess.start(first);
    await third.read(START);
    await third.stop();
    const { inProgress, error } = await results(first);
    expect([inProgress, error]).toStrictEqual([false, 'the controller was stopped']);
    expect(third.parts.faults).toStrictEqual([]);
  });
});

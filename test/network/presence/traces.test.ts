import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { goDuration } from '../../../src/network/presence/index.js';
import { MINUTE } from '../../trust/auth/in-process-logins.js';
import { eventually } from '../../support/eventually.js';
import { callerOf, InProcessRest, type InProcess } from '../../support/in-process.js';
import { Recorder, TwoControllers } from './two-controllers.js';

/* Traces of identities, begun at one controller and known to both. */

let network: TwoControllers;
let first: InProcess;
let second: InProcess;
let rest: InProcessRest;
let channel: Recorder;
let detach: (() => void) | undefined;
let person: string;

beforeAll(async () => {
  network = await TwoControllers.start();
  ({ first, second } = network);
  rest = await InProcessRest.listen(first, await first.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await network.stop();
});
beforeEach(async () => {
  detach?.();
  channel = new Recorder();
  detach = second.parts.presence.attach(channel);
  person = await network.person();
});

const put = (body: unknown, id = person) => rest.send('PUT', `/identities/${id}/trace`, body);

async function begun(body: Row): Promise<Row> {
  const { status, body: answer } = await put({ enabled: true, duration: '10m', ...body });
  expect(status).toBe(200);
  return answer.data;
}

/** As the other controller has it. */
async function active() {
  await second.parts.presence.refresh();
  return second.parts.presence.activeTrace(person);
}

const later = (millis: number): Date => new Date(network.clock.now().getTime() + millis);

describe('a trace', () => {
  test('is known to every controller, and told to channels', async () => {
    const until = later(10 * MINUTE);
    expect(await begun({ traceId: 'mine', channels: ['establishPath'] })).toEqual({
      enabled: true,
      traceId: 'mine',
      until: until.toISOString(),
    });
    const trace = {
      identityId: person,
      enabled: true,
      traceId: 'mine',
      channels: ['establishPath'],
      until,
    };
    expect(await active()).toEqual(trace);
    expect(first.parts.presence.activeTrace(person)).toEqual(trace);
    expect(channel.traces).toEqual([trace]);
  });

  test.each([[undefined], [null], [[]], [['']], [['all']], [['all', 'selectPath']]])(
    'is of everything with channels %j, under an id that is made',
    async (channels) => {
      const { traceId } = await begun({ channels, traceId: '' });
      expect(traceId).toMatch(/^[0-9a-f-]{36}$/);
      expect((await active())?.channels).toEqual(['selectPath', 'establishPath']);
    },
  );

  test('ends by itself, and channels are told', async () => {
    await begun({ traceId: 'short', duration: '90s' });
    await active();
    network.clock.advance(90_000 - 1);
    expect(await active()).toBeDefined();
    network.clock.advance(1);
    expect(await active()).toBeUndefined();
    expect(first.parts.presence.activeTrace(person)).toBeUndefined();
    await second.parts.presence.renew();
    expect(channel.traces.map((t) => t.enabled)).toEqual([true, false]);
  });

  test('is ended by whoever asks, at either controller', async () => {
    await begun({ traceId: 'mine' });
    await active();
    const ended = await second.read<{ traceIdentity: Row }>(
      'mutation ($id: ID!) { traceIdentity(id: $id, input: { enabled: false }) { enabled traceId until } }',
      { id: person },
    );
    const until = network.clock.now().toISOString();
    expect(ended.traceIdentity).toEqual({ enabled: false, traceId: 'mine', until });
    await eventually(async () => {
      await first.parts.presence.refresh();
      expect(first.parts.presence.activeTrace(person)).toBeUndefined();
    });
    expect(channel.traces.map((t) => t.enabled)).toEqual([true, false]);
  });

  test('begun anew replaces the one before', async () => {
    await begun({ traceId: 'one' });
    await begun({ traceId: 'two', duration: '1h' });
    expect(await active()).toMatchObject({ traceId: 'two', until: later(60 * MINUTE) });
  });

  test('that never ran can be ended', async () => {
    for (const body of [{ enabled: false }, {}]) {
      expect((await put(body)).body.data).toMatchObject({ enabled: false, traceId: '' });
    }
  });

  test('is gone with its identity', async () => {
    await begun({ traceId: 'mine' });
    await first.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: person });
    expect((await put({ enabled: false })).status).toBe(404);
  });

  test.each([
    ['duration', { duration: '' }],
    ['duration', { duration: 'ten minutes' }],
    ['duration', { duration: '10' }],
    ['duration', { duration: '0s' }],
    ['duration', { duration: '-5m' }],
    ['duration', { duration: null }],
    ['duration', { duration: 5 }],
    ['channels', { channels: ['nothing'] }],
    ['channels', { channels: 'all' }],
    ['channels.0', { channels: [1] }],
    ['traceId', { traceId: 1 }],
    ['traceId', { traceId: 'a\u0000b' }],
    ['enabled', { enabled: 'yes' }],
  ])('is refused by %s: %j', async (field, body) => {
    const { status, body: answer } = await put({ enabled: true, duration: '1m', ...body });
    expect([status, answer.error]).toMatchObject([
      400,
      { code: 'COULD_NOT_VALIDATE', cause: { field } },
    ]);
  });

  test('of nobody is not found', async () => {
    const { status, body } = await put({ enabled: true, duration: '1m' }, 'nobody');
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('needs the permission to change identities', async () => {
    const run = async (...permissions: string[]) => {
      const { errors } = await first.graph(
        'mutation ($id: ID!) { traceIdentity(id: $id, input: { enabled: false }) { enabled } }',
        { id: person },
        first.ctx(callerOf(person, ...permissions)),
      );
      return errors.map((e) => e?.code);
    };
    expect(await run('identity.read')).toEqual(['UNAUTHORIZED']);
    expect(await run('identity.update')).toEqual([]);
  });
});

describe('a duration', () => {
  test.each([
    ['10m', 10 * MINUTE],
    ['1h30m', 90 * MINUTE],
    ['1.5h', 90 * MINUTE],
    ['.5s', 500],
    ['1m0.5s', 60_500],
    ['+2ms', 2],
    ['1500us', 1.5],
    ['1500µs', 1.5],
    ['0h5s', 5_000],
    ['2562047h', 2_562_047 * 60 * MINUTE],
  ])('%s is %d milliseconds', (text, millis) => {
    expect(goDuration(text)).toBe(millis);
  });

  test.each(['', '+', '5', 'm', '1d', '1 m', '1m ', '-1m', '0', '0s', '1.m.', '1m1', '2562048h'])(
    '%j is none that lasts',
    (text) => {
      expect(goDuration(text)).toBeUndefined();
    },
  );
});

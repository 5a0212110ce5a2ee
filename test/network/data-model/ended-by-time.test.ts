import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { originOf } from '../../../src/kernel/write/write.js';
import { deleteExpiredRevocations, enableOverdue } from '../../../src/trust/auth/index.js';
import type { InProcess } from '../../support/in-process.js';
import { settledChange } from '../../support/settled-change.js';
import { ModelStage, serve, whole } from './model-stage.js';

/** What routers learn of revocations and of identities that are disabled for a time. */

let stage: ModelStage;
let controller: InProcess;

afterEach(() => stage.stop());

async function start(now?: () => Date): Promise<void> {
  stage = await ModelStage.start(now);
  ({ controller } = stage);
}

describe('a revocation', () => {
  test('is in the whole and in the sets, is taken anew, and goes when its time is over', async () => {
    let now = Date.parse('2026-03-01T08:00:00.250Z');
    const clock = (): Date => new Date(now);
    const timeOf = (millis: number): object => ({
      seconds: Math.floor(millis / 1_000),
      nanos: 250_000_000,
    });
    await start(clock);
    const model = await stage.publisher();
    const router = await whole(model);
    const id = randomUUID();
    const revoke = async (type: string): Promise<void> => {
      await controller.read(
        'mutation ($id: ID!, $type: RevocationType!) { revoke(id: $id, type: $type) { id } }',
        { id, type },
      );
      await stage.caughtUp(model);
      expect(await serve(router, model)).toBe('sets');
    };
    await revoke('JTI');
    expect(router.entity('revocation', id)).toMatchObject({ id, type: 'JTI' });
    now += 60_000;
    await revoke('API_SESSION');
    expect(router.entity('revocation', id)).toEqual({
      id,
      type: 'API_SESSION',
      issuedBefore: timeOf(now),
      ExpiresAt: timeOf(now + 86_400_000),
    });
    // Another controller reads it from the table, not from the log.
    const other = await stage.publisher();
    expect((await whole(other)).state).toEqual(router.state);
    expect(await model.differences()).toEqual([]);
    now += 86_400_000 + 60_000;
    await deleteExpiredRevocations(controller.ctx(), originOf(controller.ctx()));
    await stage.caughtUp(model);
    expect(await serve(router, model)).toBe('sets');
    expect(router.entity('revocation', id)).toBeUndefined();
  });

  test('of a session is what routers learn of its end, in the commit of the end', async () => {
    await start();
    const model = await stage.publisher();
    const router = await whole(model);
    const identityId = await controller.create('Identity', {
      ...{ name: 'ada', type: 'Default', isAdmin: false },
    });
    const [ended, deleted] = [
      await controller.openSession(identityId, { oidcClient: 'native' }),
      await controller.openSession(identityId, { oidcClient: 'native' }),
    ];
    await controller.parts.sessions.end(controller.ctx(), originOf(controller.ctx()), ended.id);
    await controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: identityId });
    await stage.caughtUp(model);
    expect(await serve(router, model)).toBe('sets');
    expect(router.entity('identity', identityId)).toBeUndefined();
    expect(router.entity('revocation', identityId)).toMatchObject({ type: 'IDENTITY' });
    expect(router.entity('revocation', ended.id)).toMatchObject({ type: 'API_SESSION' });
    expect(router.entity('revocation', deleted.id)).toBeUndefined();
  });
});

/** Two minutes before the time of the database, which decides. */
const twoMinutesAgo = (): number => Date.now() - 120_000;

describe('an identity that is disabled for a time', () => {
  const newIdentity = (): Promise<string> =>
    controller.create('Identity', { name: 'ada', type: 'Default', isAdmin: false });

  const disable = (id: string, minutes: number): Promise<unknown> =>
    controller.read(
      'mutation ($id: ID!, $m: Int!) { disableIdentity(id: $id, durationMinutes: $m) { id } }',
      { id, m: minutes },
    );

  const stateOf = async (id: string): Promise<object> => {
    const { identity } = await controller.read<{ identity: object }>(
      'query ($id: ID!) { identity(id: $id) { disabled disabledUntil } }',
      { id },
    );
    return identity;
  };

  test('is enabled when the time is over, in a commit, at whatever controller', async () => {
    let now = twoMinutesAgo();
    const clock = (): Date => new Date(now);
    await start(clock);
    const id = await newIdentity();
    await disable(id, 1);
    await settledChange(controller);
    const model = await stage.publisher();
    const routers = [await whole(model), await whole(model)];
    expect(model.overdue(clock())).toEqual([]);
    now += 60_000;
    expect(model.overdue(clock())).toEqual([id]);
    await enableOverdue(controller.ctx());
    await stage.caughtUp(model);
    expect(model.overdue(clock())).toEqual([]);
    const other = await stage.publisher();
    for (const [i, router] of routers.entries()) {
      expect(router.entity('identity', id)).toMatchObject({ disabled: true });
      expect(await serve(router, i === 0 ? model : other)).toBe('sets');
      expect(router.entity('identity', id)).toMatchObject({ disabled: false });
    }
  });

  test('stays disabled when it is disabled again', async () => {
    let now = twoMinutesAgo();
    await start(() => new Date(now));
    const id = await newIdentity();
    await disable(id, 1);
    now += 60_000;
    await disable(id, 0);
    await enableOverdue(controller.ctx());
    expect(await stateOf(id)).toEqual({ disabled: true, disabledUntil: null });
  });

  test('stays disabled when the clock of a controller is an hour ahead', async () => {
    let now = Date.now();
    await start(() => new Date(now));
    const id = await newIdentity();
    await disable(id, 30);
    const disabledUntil = new Date(now + 30 * 60_000).toISOString();
    now += 3_600_000;
    await enableOverdue(controller.ctx());
    now -= 3_600_000;
    expect(await stateOf(id)).toEqual({ disabled: true, disabledUntil });
  });
});

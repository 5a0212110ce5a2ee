import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { moveDueIdentities } from '../../../src/access/times/index.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { enableOverdue, resetPassword } from '../../../src/trust/auth/index.js';
import { originOf } from '../../../src/kernel/write/write.js';
import { inHours } from '../../access/assignments/assigned.js';
import { dialling, open, request, sessionsOf } from '../../access/enforcement/dialling.js';
import { idsOfApplied, revert, tryToApply, undo } from '../../inventory/drafts/support.js';
import { exported, mustImport } from '../../inventory/transfer/transfers.js';
import { follow } from '../../support/following.js';
import { callerOf, InProcess, InProcessRest } from '../../support/in-process.js';
import { costlyRuns } from '../../support/runs.js';
import { settledChange } from '../../support/settled-change.js';
import { unique } from './client.js';
import { login, newUser } from './in-process-logins.js';

/* Identities for a time at two controllers. The clock of the other one is wrong by two hours. */

const HOUR = 3_600_000;

let controller: InProcess;
let other: InProcess;
let rest: InProcessRest;
let endFollowing: () => Promise<void>;
let user: Awaited<ReturnType<typeof newUser>>;

beforeAll(async () => {
  controller = await InProcess.start();
  other = await InProcess.start(controller, { now: () => new Date(Date.now() + 2 * HOUR) });
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
  endFollowing = await follow(other, (fault) => {
    throw fault;
  });
});
afterAll(async () => {
  await rest.stop();
  await endFollowing();
  await other.stop();
  await controller.stop();
});
beforeEach(async () => {
  user = await newUser(controller, unique('temp'));
});

const UPDATE = `mutation ($id: ID!, $input: UpdateIdentityInput!) {
  updateIdentity(id: $id, input: $input) { id } }`;

const update = async (input: Row, on = controller, id = user.id): Promise<unknown> => {
  const { errors, messages } = await on.graph(UPDATE, { id, input });
  return messages.length === 0 ? 'done' : [errors[0]?.code, errors[0]?.detail];
};

const updated = async (input: Row, on = controller, id = user.id): Promise<void> => {
  expect(await update(input, on, id)).toBe('done');
};

const STATE = 'disabled disabledAt validFrom validUntil isOutsideTimes nextChangeAt';

const stateOf = async (id = user.id, on = controller): Promise<Row> => {
  const text = `query ($id: ID!) { identity(id: $id) { ${STATE} } }`;
  return (await on.read<{ identity: Row }>(text, { id })).identity;
};

/** Lets hours pass for an identity: its times move into the past instead. */
const passHours = (hours: number, id = user.id): Promise<unknown> =>
  controller.parts.store.query(
    sql`update identity set valid_from = valid_from - make_interval(mins => ${hours * 60}::int),
        disabled_until = disabled_until - make_interval(mins => ${hours * 60}::int),
        valid_until = valid_until - make_interval(mins => ${hours * 60}::int),
        next_change_at = next_change_at - make_interval(mins => ${hours * 60}::int)
      where id = ${id}::text`,
  );

async function moveDue(on = controller): Promise<number> {
  let count = 0;
  for (let step = 1; step > 0; count += step) step = await moveDueIdentities(on.anonymous());
  return count;
}

const logsIn = async (on = controller): Promise<boolean> =>
  typeof (await login(on, user)) !== 'string';

const switchOff = (minutes: number): Promise<unknown> =>
  controller.read(
    'mutation ($id: ID!, $m: Int!) { disableIdentity(id: $id, durationMinutes: $m) { id } }',
    { id: user.id, m: minutes },
  );
const ENABLE = `mutation ($id: ID!) { enableIdentity(id: $id) { ${STATE} } }`;

describe('an identity outside its times', () => {
  test.each([
    ['before it begins', (): Row => ({ validFrom: inHours(1) })],
    ['after its end', (): Row => ({ validUntil: inHours(-1) })],
    [
      'when all of its time is over',
      (): Row => ({ validFrom: inHours(-2), validUntil: inHours(-1) }),
    ],
  ])('does not log in %s, as if it were disabled', async (_, times) => {
    expect(await logsIn()).toBe(true);
    await updated(times());
    expect(await login(controller, user)).toBe('INVALID_AUTH');
    expect(await logsIn(other)).toBe(false);
    expect(await stateOf()).toMatchObject({
      ...{ disabled: true, disabledAt: null, isOutsideTimes: true },
    });
    await updated({ validFrom: inHours(-2), validUntil: inHours(1) });
    expect(await logsIn()).toBe(true);
    expect(await stateOf()).toMatchObject({ disabled: false, isOutsideTimes: false });
  });

  test('loses its API session and its sessions at once when its times are written', async () => {
    const ada = await dialling(controller);
    await open(controller, ada);
    await updated({ validUntil: inHours(0) }, controller, ada.identity);
    expect((await request(controller, ada)).errors[0]?.code).toBe('UNAUTHORIZED');
    expect(await apiSessions(ada.identity)).toBe(0);
  });

  test('is created outside its times, too', async () => {
    const name = unique('later');
    const late = await newUser(controller, name, { validFrom: inHours(1) });
    expect(await login(controller, late)).toBe('INVALID_AUTH');
  });

  test('is a disabled one in filters, and for the reasons of access', async () => {
    const ada = await dialling(controller);
    await updated({ validUntil: inHours(-1) }, controller, ada.identity);
    const { identities, access } = await controller.read<{
      identities: { nodes: Row[] };
      access: { obstacles: string[] };
    }>(
      `query ($id: ID!, $service: ID!, $filter: String!) {
        identities(filter: $filter) { nodes { id } }
        access(identityId: $id, serviceId: $service, type: Dial) { obstacles } }`,
      {
        id: ada.identity,
        service: ada.service,
        filter: `id = "${ada.identity}" and disabled = true and isOutsideTimes = true`,
      },
    );
    expect(identities.nodes).toEqual([{ id: ada.identity }]);
    expect(access.obstacles).toContain('IDENTITY_DISABLED');
  });
});

const apiSessions = async (id: string): Promise<number> => {
  const { identity } = await controller.read<{
    identity: { apiSessions: { totalCount: number } };
  }>('query ($id: ID!) { identity(id: $id) { apiSessions { totalCount } } }', { id });
  return identity.apiSessions.totalCount;
};

describe('the clock of the database decides', () => {
  test('when a controller whose clock is ahead writes and moves', async () => {
    const validUntil = inHours(1);
    await updated({ validUntil }, other);
    expect(await stateOf()).toMatchObject({ isOutsideTimes: false, nextChangeAt: validUntil });
    expect(await moveDue(other)).toBe(0);
    expect(await logsIn(other)).toBe(true);
  });

  test('for the end, which ends sessions at both controllers, and which the log tells', async () => {
    const ada = await dialling(controller);
    await updated({ validUntil: inHours(1) }, controller, ada.identity);
    await open(controller, ada);
    expect(await sessionsOf(controller, ada)).toHaveLength(1);
    await passHours(2, ada.identity);
    expect(await moveDue(other)).toBe(1);
    expect(await moveDue()).toBe(0);
    expect(await apiSessions(ada.identity)).toBe(0);
    expect((await request(controller, ada)).errors[0]?.code).toBe('UNAUTHORIZED');
    await settledChange(controller);
    const { changes } = await controller.read<{ changes: { nodes: Row[] } }>(
      'query ($filter: String!) { changes(filter: $filter, last: 1) { nodes { operation reason actorId } } }',
      { filter: `entityId = "${ada.identity}"` },
    );
    expect(changes.nodes).toMatchObject([
      { operation: 'update', reason: 'the times of identities have begun or ended', actorId: null },
    ]);
  });

  test('for the beginning', async () => {
    await updated({ validFrom: inHours(1), validUntil: inHours(3) });
    await passHours(2);
    expect(await logsIn()).toBe(false);
    expect(await moveDue()).toBe(1);
    expect(await logsIn()).toBe(true);
    await passHours(2);
    expect(await moveDue()).toBe(1);
    expect(await logsIn()).toBe(false);
    expect(await stateOf()).toMatchObject({ isOutsideTimes: true, nextChangeAt: null });
  });

  test('once, when both move at the same time, and not after it is deleted', async () => {
    await updated({ validUntil: inHours(1) });
    await passHours(2);
    const [a, b] = await Promise.all([moveDue(), moveDue(other)]);
    expect(a + b).toBe(1);
    await updated({ validUntil: inHours(1) });
    await passHours(2);
    await Promise.all([
      moveDue(other),
      controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: user.id }),
    ]);
    expect(await moveDue()).toBe(0);
  });

  test('also when its end is put off at that moment', async () => {
    await updated({ validUntil: inHours(1) });
    await passHours(2);
    await Promise.all([updated({ validUntil: inHours(5) }), moveDue(other)]);
    await moveDue();
    expect(await logsIn()).toBe(true);
  });

  test('for a login at the moment of the end: no session is left', async () => {
    await updated({ validUntil: inHours(1) });
    await passHours(2);
    await Promise.all([login(controller, user), login(other, user), moveDue(), moveDue(other)]);
    expect(await apiSessions(user.id)).toBe(0);
    const opening = controller.parts.sessions.create(
      controller.parts.store,
      originOf(controller.anonymous()),
      {
        ...{ identityId: user.id, authenticatorId: user.authenticatorId, ipAddress: '127.0.0.1' },
        ...{ configTypes: [], isCertExtendable: false, improperClientCertChain: false },
      },
    );
    await expect(opening).rejects.toMatchObject({ code: 'INVALID_AUTH' });
  });
});

describe('times and switching off are apart', () => {
  test('enabling does not override the times, and the answer says so', async () => {
    await updated({ validUntil: inHours(-1) });
    await switchOff(0);
    const { enableIdentity } = await controller.read<{ enableIdentity: Row }>(ENABLE, {
      id: user.id,
    });
    expect(enableIdentity).toMatchObject({
      ...{ disabled: true, disabledAt: null, isOutsideTimes: true },
    });
    expect(await logsIn()).toBe(false);
  });

  test('times that begin do not enable it', async () => {
    await updated({ validFrom: inHours(1) });
    await switchOff(0);
    await passHours(2);
    await moveDue();
    expect(await stateOf()).toMatchObject({ disabled: true, isOutsideTimes: false });
    await controller.read(ENABLE, { id: user.id });
    expect(await logsIn()).toBe(true);
  });

  test('a switching off that ends does not bring it back after its end', async () => {
    await updated({ validUntil: inHours(1) });
    await switchOff(30);
    // To the other controller the half hour is over.
    await enableOverdue(other.anonymous());
    expect(await stateOf()).toMatchObject({ disabled: true, disabledAt: expect.any(String) });
    await passHours(2);
    await moveDue();
    await enableOverdue(controller.anonymous());
    expect(await stateOf()).toMatchObject({ disabled: true, disabledAt: null });
    expect(await logsIn()).toBe(false);
  });

  test('whichever order they come in', async () => {
    type Step = 'off' | 'enable' | 'begin' | 'end' | 'free' | 'tick';
    const steps = fc.array(fc.constantFrom<Step>('off', 'enable', 'begin', 'end', 'free', 'tick'), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        user = await newUser(controller, unique('walk'));
        let [isOff, isOutside, due] = [false, false, undefined as boolean | undefined];
        const times = {
          begin: { validFrom: 1, validUntil: 9 },
          end: { validFrom: -9, validUntil: 1 },
        };
        for (const step of taken) {
          if (step === 'off') [isOff] = [true, await switchOff(0)];
          else if (step === 'enable')
            [isOff] = [false, await controller.read(ENABLE, { id: user.id })];
          else if (step === 'free') {
            await updated({ validFrom: null, validUntil: null });
            [isOutside, due] = [false, undefined];
          } else if (step === 'tick') {
            await passHours(2);
            await moveDue();
            [isOutside, due] = [due ?? isOutside, undefined];
          } else {
            const { validFrom, validUntil } = times[step];
            await updated({ validFrom: inHours(validFrom), validUntil: inHours(validUntil) });
            [isOutside, due] = step === 'begin' ? [true, false] : [false, true];
          }
          expect(await logsIn()).toBe(!isOff && !isOutside);
          expect((await stateOf()).disabled).toBe(isOff || isOutside);
        }
      }),
      costlyRuns(10),
    );
  });
});

test('a reset of the password lets an administrator in again, and leaves times that do not keep it out', async () => {
  const chief = await newUser(controller, unique('chief'), { isAdmin: true });
  const reset = {
    ...{ username: chief.username, defaultUsername: 'admin' },
    ...{ password: 'correct horse battery', disableMfa: false },
  };
  const later = inHours(1);
  await updated({ validUntil: later }, controller, chief.id);
  await resetPassword(controller.ctx(), reset);
  expect(await stateOf(chief.id)).toMatchObject({ validUntil: later, disabled: false });
  await updated({ validUntil: inHours(-1) }, controller, chief.id);
  await resetPassword(controller.ctx(), reset);
  expect(await stateOf(chief.id)).toMatchObject({
    ...{ disabled: false, validUntil: null, nextChangeAt: null },
  });
  const { username, password } = reset;
  expect(typeof (await login(controller, { username, password }))).not.toBe('string');
});

describe('writes', () => {
  test('with an end that is not after the beginning are refused on the end', async () => {
    const validFrom = inHours(2);
    for (const validUntil of [inHours(1), validFrom]) {
      expect(await update({ validFrom, validUntil })).toMatchObject([
        'COULD_NOT_VALIDATE',
        { field: 'validUntil' },
      ]);
    }
    await updated({ validFrom });
    expect(await update({ validUntil: inHours(1) })).toMatchObject([
      'COULD_NOT_VALIDATE',
      { field: 'validUntil' },
    ]);
  });

  test('of a caller without the permission, or to somebody with more rights, are refused', async () => {
    const admin = await controller.create('Identity', {
      ...{ name: unique('chief'), type: 'Default', isAdmin: true },
    });
    const writing = async (id: string, ...permissions: string[]): Promise<unknown> => {
      const ctx = controller.ctx(callerOf(user.id, ...permissions));
      const { errors } = await controller.graph(
        UPDATE,
        { id, input: { validUntil: inHours(-1) } },
        ctx,
      );
      return errors[0]?.code;
    };
    expect(await writing(admin, 'identity.update')).toBe('UNAUTHORIZED');
    expect(await writing(user.id, 'identity.read')).toBe('UNAUTHORIZED');
    expect(await stateOf(admin)).toMatchObject({ disabled: false });
    expect(await writing(user.id, 'identity.update')).toBeUndefined();
  });

  test('over REST carry the times, and a replacement without them leaves them', async () => {
    const [validFrom, validUntil] = [inHours(-1), inHours(1)];
    const body = { name: unique('rest'), type: 'Default', isAdmin: false };
    const { body: made } = await rest.send('POST', '/identities', {
      ...body,
      validFrom,
      validUntil,
    });
    const { id } = made.data as { id: string };
    const path = `/identities/${id}`;
    expect((await rest.get(path)).body.data).toMatchObject({
      validFrom,
      validUntil,
      disabled: false,
    });
    expect((await rest.send('PUT', path, body)).status).toBe(200);
    expect((await rest.get(path)).body.data).toMatchObject({ validFrom, validUntil });
    const over = { validUntil: inHours(-0.5) };
    expect((await rest.send('PATCH', path, over)).status).toBe(200);
    expect((await rest.get(path)).body.data).toMatchObject({ ...over, disabled: true });
    const later = { ...body, validFrom: inHours(1), validUntil: inHours(2) };
    expect((await rest.send('PUT', path, later)).status).toBe(200);
    expect((await rest.get(path)).body.data).toMatchObject({
      validUntil: later.validUntil,
      disabled: true,
    });
  });
});

describe('lists and files', () => {
  test('a change of the times is undone, and the state follows the clock', async () => {
    await updated({ validUntil: inHours(1) });
    const change = { operation: 'update', type: 'identity', id: user.id };
    const ids = await idsOfApplied(controller, { ...change, input: { validUntil: inHours(-1) } });
    expect(await logsIn()).toBe(false);
    await undo(controller, await revert(controller, ids));
    expect(await logsIn()).toBe(true);
  });

  test('an undone deletion does not bring back the time that is over meanwhile', async () => {
    await updated({ validUntil: inHours(1) });
    const ids = await idsOfApplied(controller, {
      ...{ operation: 'delete', type: 'identity', id: user.id },
    });
    const reversal = await revert(controller, ids);
    const [creation] = reversal.changes;
    const input = { ...creation?.input };
    expect(input.validUntil).not.toBeNull();
    const changes = [{ ...creation, input: { ...input, validUntil: inHours(-1) } }];
    expect(await tryToApply(controller, changes)).toHaveProperty('done');
    expect(await stateOf()).toMatchObject({ disabled: true, isOutsideTimes: true });
  });

  test('a file has the times apart from who disabled it, and an import whose time is over is over', async () => {
    const [validFrom, validUntil] = [inHours(-2), inHours(-1)];
    await updated({ validFrom, validUntil });
    const name = user.username;
    const inFile = async (): Promise<Row | undefined> =>
      (await exported(controller, ['identity'])).identities?.find((one) => one.name === name);
    expect(await inFile()).toMatchObject({ disabled: false, validFrom, validUntil });
    const file = { ...(await inFile()), name: unique('copy') };
    const late = await newUser(controller, file.name);
    expect(typeof (await login(controller, late))).not.toBe('string');
    await mustImport(controller, { identities: [file] });
    expect(await login(controller, late)).toBe('INVALID_AUTH');
    expect(await apiSessions(late.id)).toBe(0);
    await mustImport(controller, { identities: [{ ...file, validUntil: null }] });
    expect(typeof (await login(controller, late))).not.toBe('string');
  });
});

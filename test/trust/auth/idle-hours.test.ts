import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { removeIdleIdentities } from '../../../src/trust/auth/index.js';
import { inHours } from '../../access/assignments/assigned.js';
import { idsOfApplied, revert, undo } from '../../inventory/drafts/support.js';
import { exported, mustImport } from '../../inventory/transfer/transfers.js';
import { callerOf, InProcess, InProcessRest } from '../../support/in-process.js';
import { settledChange } from '../../support/settled-change.js';
import { newAuthority } from './certificates.js';
import { unique } from './client.js';
import { login, newUser } from './in-process-logins.js';

/* Identities that are deleted hours after their last session, whoever made them, at two controllers. */

let controller: InProcess;
let other: InProcess;
let rest: InProcessRest;
let user: Awaited<ReturnType<typeof newUser>>;

beforeAll(async () => {
  controller = await InProcess.start();
  other = await InProcess.start(controller);
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await other.stop();
  await controller.stop();
});
beforeEach(async () => {
  user = await newUser(controller, unique('job'), { idleHoursBeforeDeletion: 2 });
});

const send = async (input: Row, id = user.id, ctx = controller.ctx()): Promise<unknown> => {
  const { errors, messages } = await controller.graph(
    'mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }',
    { id, input },
    ctx,
  );
  return messages.length === 0 ? 'done' : [errors[0]?.code, errors[0]?.detail];
};

/** Lets time pass for an identity: the clock of the database decides. */
const passMinutes = (minutes: number, id = user.id): Promise<unknown> =>
  controller.parts.store.query(
    sql`update identity set last_used_at = last_used_at - make_interval(mins => ${minutes}::int)
      where id = ${id}::text`,
  );

const removeIdle = async (on = controller): Promise<string[]> => {
  const refused: string[] = [];
  await removeIdleIdentities(on.anonymous(), (id) => refused.push(id));
  return refused;
};

const hoursOf = async (id = user.id): Promise<number | null | undefined> => {
  const { identities } = await controller.read<{
    identities: { nodes: { idleHoursBeforeDeletion: number | null }[] };
  }>(
    'query ($filter: String!) { identities(filter: $filter) { nodes { idleHoursBeforeDeletion } } }',
    { filter: `id = "${id}"` },
  );
  return identities.nodes[0]?.idleHoursBeforeDeletion;
};

const exists = async (id = user.id): Promise<boolean> => (await hoursOf(id)) !== undefined;

const logIn = async (): Promise<string> => {
  const session = await login(controller, user);
  if (typeof session === 'string') throw new Error(session);
  return session.id;
};
const logOut = (id: string): Promise<unknown> =>
  controller.read('mutation ($id: ID!) { deleteApiSession(id: $id) }', { id });

describe('an identity with hours', () => {
  test('is deleted after them when it never had a session, and the log tells why', async () => {
    await passMinutes(120);
    await removeIdle();
    expect(await exists()).toBe(true);
    await passMinutes(10);
    await removeIdle();
    expect(await exists()).toBe(false);
    await settledChange(controller);
    const { changes } = await controller.read<{ changes: { nodes: Row[] } }>(
      'query ($filter: String!) { changes(filter: $filter, last: 1) { nodes { operation reason actorId } } }',
      { filter: `entityId = "${user.id}"` },
    );
    expect(changes.nodes).toEqual([
      { operation: 'delete', reason: 'it had no API session for 2 hours', actorId: null },
    ]);
  });

  test('stays while it has a session, and its hours begin with the end of it', async () => {
    const session = await logIn();
    await passMinutes(600);
    await removeIdle();
    expect(await exists()).toBe(true);
    await logOut(session);
    await removeIdle();
    expect(await exists()).toBe(true);
    await passMinutes(131);
    await removeIdle();
    expect(await exists()).toBe(false);
  });

  test('begins anew with a short session', async () => {
    await passMinutes(125);
    await logOut(await logIn());
    await passMinutes(120);
    await removeIdle();
    expect(await exists()).toBe(true);
  });

  test('stays when it logs in as it is deleted, or has no session when it was first', async () => {
    await passMinutes(131);
    const [session] = await Promise.all([login(controller, user), removeIdle(), removeIdle(other)]);
    expect(await exists()).toBe(typeof session !== 'string');
  });

  test('stays while it is disabled, or outside its times', async () => {
    const late = await newUser(controller, unique('late'), {
      ...{ idleHoursBeforeDeletion: 1, validUntil: inHours(-1) },
    });
    await controller.read(
      'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }',
      { id: user.id },
    );
    for (const id of [user.id, late.id]) await passMinutes(6_000, id);
    await removeIdle();
    expect([await exists(), await exists(late.id)]).toEqual([true, true]);
  });

  test('begins when it gets them, however long it was idle before', async () => {
    await send({ idleHoursBeforeDeletion: null });
    await passMinutes(6_000);
    await removeIdle();
    expect(await exists()).toBe(true);
    expect(await send({ idleHoursBeforeDeletion: 1 })).toBe('done');
    await removeIdle();
    expect(await exists()).toBe(true);
    await passMinutes(71);
    await removeIdle();
    expect(await exists()).toBe(false);
  });
});

describe('the hours', () => {
  test.each([0, -1, 87_601])('are not %s', async (idleHoursBeforeDeletion) => {
    expect(await send({ idleHoursBeforeDeletion })).toMatchObject([
      'COULD_NOT_VALIDATE',
      { field: 'idleHoursBeforeDeletion' },
    ]);
  });

  test('are for those who may also delete identities', async () => {
    const as = (...permissions: string[]) => controller.ctx(callerOf(user.id, ...permissions));
    const hours = { idleHoursBeforeDeletion: 1 };
    expect(await send(hours, user.id, as('identity.update'))).toMatchObject(['UNAUTHORIZED', {}]);
    expect(await send({ tags: { a: 1 } }, user.id, as('identity.update'))).toBe('done');
    expect(await send(hours, user.id, as('identity.update', 'identity.delete'))).toBe('done');
  });

  test('are not for the default administrator', async () => {
    const id = await controller.defaultAdminId();
    expect(await send({ idleHoursBeforeDeletion: 1 }, id)).toMatchObject([
      'COULD_NOT_VALIDATE',
      { field: 'idleHoursBeforeDeletion' },
    ]);
  });

  test('stay when a REST client replaces the identity, which does not know them', async () => {
    const body = { name: user.username, type: 'Default', isAdmin: false };
    expect((await rest.send('PUT', `/identities/${user.id}`, body)).status).toBe(200);
    expect(await hoursOf()).toBe(2);
  });

  test('come back with an undone deletion and with a file, and begin then', async () => {
    await passMinutes(6_000);
    const removal = { operation: 'delete', type: 'identity', id: user.id };
    await undo(controller, await revert(controller, await idsOfApplied(controller, removal)));
    await removeIdle();
    expect(await hoursOf()).toBe(2);
    const { identities = [] } = await exported(controller, ['identity']);
    const file = { ...identities.find(({ name }) => name === user.username), name: unique('copy') };
    await mustImport(controller, { identities: [file] });
    await removeIdle();
    const { identities: copies } = await controller.read<{ identities: { nodes: Row[] } }>(
      'query ($filter: String!) { identities(filter: $filter) { nodes { idleHoursBeforeDeletion } } }',
      { filter: `name = "${file.name}"` },
    );
    expect(copies.nodes).toEqual([{ idleHoursBeforeDeletion: 2 }]);
  });

  test('of an authority are for those who may also delete identities', async () => {
    const id = await controller.create('CertificateAuthority', await authority());
    const set = async (permissions: string[]): Promise<unknown> => {
      const { errors } = await controller.graph(
        `mutation ($id: ID!) { updateCertificateAuthority(id: $id, input: { idleHoursBeforeDeletion: 5 }) {
          idleHoursBeforeDeletion } }`,
        { id },
        controller.ctx(callerOf(user.id, ...permissions)),
      );
      return errors[0]?.code;
    };
    expect(await set(['ca.update'])).toBe('UNAUTHORIZED');
    expect(await set(['ca.update', 'identity.delete'])).toBeUndefined();
  });
});

async function authority(): Promise<Row> {
  const { cert } = await newAuthority(unique('CA with hours'));
  return {
    ...{ name: unique('authority'), certPem: cert.toString(), identityRoles: [] },
    ...{ isAuthEnabled: true, isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: false },
  };
}

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { removeIdleIdentities } from '../../../src/trust/auth/index.js';
import { callerOf, InProcess, InProcessRest } from '../../support/in-process.js';
import { settledChange } from '../../support/settled-change.js';
import { unique } from './client.js';
import { contextOf } from './in-process-logins.js';
import { OutsideSigner } from './signers.js';

/* Identities of first logins end when they are not in use, and the settings that decide it are not for everybody. */

let controller: InProcess;
let rest: InProcessRest;
let signer: OutsideSigner;
let signerId: string;

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});
beforeEach(async () => {
  signer = await OutsideSigner.create(unique('company'));
  signerId = await newSigner({ idleDaysBeforeDeletion: 30 });
});

const newSigner = (settings: Row): Promise<string> =>
  controller.create('ExternalJwtSigner', {
    ...signer.settings,
    ...{ useExternalId: true, createsIdentities: true, ...settings },
  });

async function send(input: Row, ctx = controller.ctx()) {
  const { errors } = await controller.graph(
    `mutation ($id: ID!, $input: UpdateExternalJwtSignerInput!) {
      updateExternalJwtSigner(id: $id, input: $input) { id } }`,
    { id: signerId, input },
    ctx,
  );
  return errors[0];
}

interface Session {
  readonly id: string;
  readonly identity: { readonly id: string };
}

async function logIn(claim = unique('person')): Promise<Session> {
  const ctx = await contextOf(controller, { authorization: `Bearer ${await signer.jwt(claim)}` });
  const { authenticate } = await controller.read<{ authenticate: Session }>(
    'mutation { authenticate(method: "ext-jwt", input: {}) { id identity { id } } }',
    {},
    ctx,
  );
  return authenticate;
}

const logOut = ({ id }: Session): Promise<unknown> =>
  controller.read('mutation ($id: ID!) { deleteApiSession(id: $id) }', { id });

/** Lets days pass for an identity: the clock of the database decides. */
const passDays = ({ identity }: Session, days: number): Promise<unknown> =>
  controller.parts.store.query(
    sql`update identity set last_used_at = last_used_at - make_interval(days => ${days}::int)
      where id = ${identity.id}::text`,
  );

async function exists({ identity }: Session): Promise<boolean> {
  const { identities } = await controller.read<{ identities: { totalCount: number } }>(
    'query ($filter: String!) { identities(filter: $filter) { totalCount } }',
    { filter: `id = "${identity.id}"` },
  );
  return identities.totalCount === 1;
}

async function removeIdle(): Promise<readonly string[]> {
  const refused: string[] = [];
  await removeIdleIdentities(controller.anonymous(), (id) => refused.push(id));
  return refused;
}

describe('an identity of a first login', () => {
  test('is deleted after the days of its signer without a session, and not before', async () => {
    const session = await logIn();
    await logOut(session);
    await passDays(session, 29);
    await removeIdle();
    expect(await exists(session)).toBe(true);
    await passDays(session, 1);
    expect(await removeIdle()).toEqual([]);
    expect(await exists(session)).toBe(false);
    await settledChange(controller);
    const { changes } = await controller.read<{ changes: { nodes: Row[] } }>(
      'query ($filter: String!) { changes(filter: $filter, first: 10) { nodes { operation reason } } }',
      { filter: `entityId = "${session.identity.id}" and operation = "delete"` },
    );
    expect(changes.nodes).toEqual([
      { operation: 'delete', reason: expect.stringContaining('no API session') },
    ]);
  });

  test('stays while it has a session, however old its last login is, and begins to be idle after it', async () => {
    const session = await logIn();
    await passDays(session, 400);
    await removeIdle();
    expect(await exists(session)).toBe(true);
    await logOut(session);
    await removeIdle();
    expect(await exists(session)).toBe(true);
    await passDays(session, 31);
    await removeIdle();
    expect(await exists(session)).toBe(false);
  });

  test('begins anew to be idle with each login', async () => {
    const claim = unique('person');
    const first = await logIn(claim);
    await logOut(first);
    await passDays(first, 29);
    await logOut(await logIn(claim));
    await passDays(first, 2);
    await removeIdle();
    expect(await exists(first)).toBe(true);
  });

  test('stays while it is disabled: its owner would come back with another one', async () => {
    const session = await logIn();
    await controller.read(
      'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }',
      {
        id: session.identity.id,
      },
    );
    await passDays(session, 400);
    await removeIdle();
    expect(await exists(session)).toBe(true);
  });

  test('stays if its signer has no number of days, or is gone', async () => {
    const session = await logIn();
    await logOut(session);
    await passDays(session, 400);
    await send({ idleDaysBeforeDeletion: null });
    await removeIdle();
    expect(await exists(session)).toBe(true);
    await controller.read('mutation ($id: ID!) { deleteExternalJwtSigner(id: $id) }', {
      id: signerId,
    });
    await removeIdle();
    expect(await exists(session)).toBe(true);
  });

  test('is the only one that is deleted', async () => {
    const claim = unique('hand');
    const identity = { name: claim, externalId: claim, type: 'Default', isAdmin: false };
    const id = await controller.create('Identity', identity);
    const session = await logIn(claim);
    expect(session.identity.id).toBe(id);
    await logOut(session);
    await controller.parts.store.query(
      sql`update identity set created_at = created_at - interval '9 years' where id = ${id}::text`,
    );
    await removeIdle();
    expect(await exists(session)).toBe(true);
  });
});

describe('the settings', () => {
  const as = (...permissions: string[]) => controller.ctx(callerOf('writer', ...permissions));
  const SIGNERS = 'external-jwt-signer';

  test('need the permission to create identities, whatever else of the signer changes', async () => {
    const conditions = [{ claim: 'realm', values: ['x'], pattern: null }];
    const { certPem, kid } = (await OutsideSigner.create(unique('own'))).settings;
    for (const input of [
      { maxCreatedIdentities: 5_000 },
      { conditions },
      { claimsProperty: 'name' },
      { certPem, kid },
    ]) {
      expect((await send(input, as(SIGNERS)))?.code).toBe('UNAUTHORIZED');
    }
    expect(await send({ name: unique('renamed') }, as(SIGNERS))).toBeUndefined();
    expect(await send({ conditions }, as(SIGNERS, 'identity.create'))).toBeUndefined();
    expect(await send({ createsIdentities: false }, as(SIGNERS))).toBeUndefined();
    expect((await send({ createsIdentities: true }, as(SIGNERS)))?.code).toBe('UNAUTHORIZED');
  });

  test('need the permissions to delete identities, and to read the auth policy', async () => {
    const creator = [SIGNERS, 'identity.create'];
    const days = { idleDaysBeforeDeletion: 1 };
    expect((await send(days, as(...creator)))?.code).toBe('UNAUTHORIZED');
    expect(await send(days, as(...creator, 'identity.delete'))).toBeUndefined();
    const policy = { enrollAuthPolicyId: 'default' };
    expect((await send(policy, as(...creator)))?.code).toBe('UNAUTHORIZED');
    expect(await send(policy, as(...creator, 'auth-policy.read'))).toBeUndefined();
  });

  test('are refused for a signer that names identities by their ids', async () => {
    const error = await send({ useExternalId: false });
    expect([error?.code, (error?.detail as { field?: string } | undefined)?.field]).toEqual([
      'COULD_NOT_VALIDATE',
      'useExternalId',
    ]);
  });

  test('survive a client that writes back the signer as REST shows it', async () => {
    const path = `/external-jwt-signers/${signerId}`;
    const shown = (await rest.get(path)).body.data as unknown as Row;
    expect((await rest.send('PUT', path, shown)).status).toBe(200);
    const { externalJwtSigner } = await controller.read<{ externalJwtSigner: Row }>(
      `query ($id: ID!) { externalJwtSigner(id: $id) {
        createsIdentities maxCreatedIdentities idleDaysBeforeDeletion } }`,
      { id: signerId },
    );
    expect(externalJwtSigner).toEqual({
      ...{ createsIdentities: true, maxCreatedIdentities: 1_000, idleDaysBeforeDeletion: 30 },
    });
  });
});

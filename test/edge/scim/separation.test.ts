import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { startController, type TestController } from '../../support/controller.js';
import { settledChangeOf } from '../../support/settled-change.js';
import { Provider, unique } from './provider.js';

/** A directory reads and writes its own users and groups alone, and its token opens no other door. */

let controller: TestController;
let one: Provider;
let other: Provider;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());
beforeEach(async () => {
  [one, other] = [await Provider.start(controller), await Provider.start(controller)];
});

const identity = (input: Row = {}): Promise<string> =>
  controller.create('identities', {
    name: unique('person'),
    type: 'Default',
    isAdmin: false,
    ...input,
  });

/** Every request of the interface that names a user or a group. */
const attempts = (
  user: string,
  group: string,
): readonly (readonly [string, string, unknown?])[] => [
  ['GET', `/Users/${user}`],
  ['PUT', `/Users/${user}`, { userName: 'stolen' }],
  ['PATCH', `/Users/${user}`, { Operations: [{ op: 'replace', value: { active: false } }] }],
  ['DELETE', `/Users/${user}`],
  ['GET', `/Groups/${group}`],
  ['PUT', `/Groups/${group}`, { displayName: 'stolen', members: [] }],
  ['PATCH', `/Groups/${group}`, { Operations: [{ op: 'remove', path: 'members' }] }],
  ['DELETE', `/Groups/${group}`],
];

describe('a directory', () => {
  test('does not see users and groups of another one, and does not change them', async () => {
    const user = await other.user();
    const group = await other.group('staff', [user]);
    for (const [method, path, body] of attempts(user, group)) {
      expect([method, path, (await one.call(method, path, body)).status]).toStrictEqual([
        method,
        path,
        404,
      ]);
    }
    expect((await one.call('GET', '/Users')).body.totalResults).toBe(0);
    expect((await one.call('GET', '/Groups')).body.totalResults).toBe(0);
    expect(await other.membersOf(group)).toStrictEqual([user]);
    expect(await other.identity(user)).toMatchObject({ disabled: false });
  });

  test('does not touch identities that it has not created, administrators neither', async () => {
    const { body } = await controller.rest('GET', '/current-identity');
    const admin = (body.data as { id: string }).id;
    const group = await one.group('staff');
    for (const id of [await identity(), admin]) {
      for (const [method, path, sent] of attempts(id, 'none')) {
        expect((await one.call(method, path, sent)).status).toBe(404);
      }
      const added = await one.patch(`/Groups/${group}`, {
        op: 'add',
        path: 'members',
        value: [{ value: id }],
      });
      expect(added).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
      expect(await one.identity(id)).toMatchObject({ disabled: false, assignedRoleAttributes: [] });
    }
  });

  test('adopts no identity, whether by its name or by its external id', async () => {
    const name = unique('admin');
    const externalId = unique('external');
    const id = await identity({ name, externalId, isAdmin: true });
    for (const sent of [{ userName: name }, { userName: unique('user'), externalId }]) {
      const answer = await one.call('POST', '/Users', sent);
      expect(answer).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    }
    const user = await one.user();
    for (const value of [{ userName: name }, { externalId }]) {
      const answer = await one.patch(`/Users/${user}`, { op: 'replace', value });
      expect(answer).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    }
    expect(await one.identity(id)).toMatchObject({ name, externalId, disabled: false });
  });

  test('disables its user with permissions, and does not hand them to another person', async () => {
    const id = await one.user();
    await controller.rest('PATCH', `/identities/${id}`, { isAdmin: true });
    const handed = await one.patch(`/Users/${id}`, {
      op: 'replace',
      path: 'externalId',
      value: 'somebody else',
    });
    expect(handed.status).toBe(403);
    await one.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    expect(await one.identity(id)).toMatchObject({ disabled: true });
  });

  test.each([
    ['before the provider did', ['admin', 'provider']],
    ['after the provider did', ['provider', 'admin']],
  ])('does not enable an identity that an administrator has disabled, %s', async (_when, order) => {
    const id = await one.user();
    const active = (value: boolean): Row => ({ op: 'replace', path: 'active', value });
    for (const who of order) {
      const answer =
        who === 'admin'
          ? await controller.rest('POST', `/identities/${id}/disable`, { durationMinutes: 0 })
          : await one.patch(`/Users/${id}`, active(false));
      expect(answer.status).toBe(200);
    }
    const answer = await one.patch(`/Users/${id}`, active(true));
    expect(answer).toMatchObject({ status: 200, body: { active: true } });
    expect(await one.identity(id)).toMatchObject({ disabled: true });
  });

  test('creates one of many users with a name, or groups, that come at the same time', async () => {
    const userName = unique('user');
    const externalId = unique('external');
    const displayName = unique('staff');
    for (const [path, body] of [
      ['/Users', () => ({ userName })],
      ['/Users', () => ({ userName: unique('user'), externalId })],
      ['/Groups', () => ({ displayName })],
    ] as const) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => one.call('POST', path, body())),
      );
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused).toHaveLength(7);
      for (const answer of refused) {
        expect(answer).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
      }
    }
  });

  test('writes no permissions, no role attributes and no other members of the identity', async () => {
    const id = await one.user({
      isAdmin: true,
      permissions: ['admin'],
      roleAttributes: ['staff'],
      authPolicyId: 'other',
      groups: [{ value: 'staff' }],
    });
    const { body } = await controller.rest('GET', `/identities/${id}`);
    expect(body.data).toMatchObject({
      isAdmin: false,
      permissions: [],
      roleAttributes: [],
      authPolicyId: 'default',
    });
  });
});

describe('the assignments of a directory', () => {
  test('are read-only for administrators, and its attributes are refused in other ways', async () => {
    const user = await one.user();
    await one.group('staff', [user]);
    const { body } = await controller.rest('GET', `/identities/${user}/role-assignments`);
    const [assignment] = body.data as { id: string; source: string; roleAttribute: string }[];
    const roleAttribute = `${one.prefix}staff`;
    expect(assignment).toMatchObject({ source: `directory:${one.directoryId}`, roleAttribute });
    const path = `/role-assignments/${String(assignment?.id)}`;
    expect((await controller.rest('DELETE', path)).status).toBe(400);
    expect((await controller.rest('PATCH', path, { reason: 'mine' })).status).toBe(400);
    const steal = await controller.rest('PATCH', `/identities/${user}`, {
      roleAttributes: [roleAttribute],
    });
    expect(steal).toMatchObject({
      status: 400,
      body: { error: { cause: { field: 'roleAttributes' } } },
    });
  });

  test('have the directory as author in the change log', async () => {
    const user = await one.user();
    await settledChangeOf(controller);
    const query = new URLSearchParams({ filter: `entityId = "${user}" and type = "Identity"` });
    const { body } = await controller.rest('GET', `/changes?${String(query)}`);
    const [change] = body.data as Row[];
    expect(change).toMatchObject({ operation: 'create', actorId: one.directoryId });
  });

  test('end when an administrator releases the user, whose identity stays', async () => {
    const user = await one.user();
    const group = await one.group('staff', [user]);
    expect((await controller.rest('DELETE', `/directories/${one.directoryId}`)).status).toBe(409);
    expect((await controller.rest('DELETE', `/directory-users/${user}`)).status).toBe(200);
    expect(await one.identity(user)).toMatchObject({ disabled: false, assignedRoleAttributes: [] });
    expect((await one.call('GET', `/Users/${user}`)).status).toBe(404);
    expect((await controller.rest('DELETE', `/directory-groups/${group}`)).status).toBe(200);
    expect((await controller.rest('DELETE', `/directories/${one.directoryId}`)).status).toBe(200);
    expect((await one.call('GET', '/Users')).status).toBe(401);
  });
});

describe('the interface', () => {
  test('opens to the token of a directory alone', async () => {
    const tokens = ['', 'nonsense', controller.token, `${one.token}x`];
    for (const token of tokens) {
      const answer = await one.call('GET', '/Users', undefined, token);
      expect(answer).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
        body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '401' },
      });
    }
    const headers = { 'zt-session': controller.token };
    expect((await controller.send('GET', '/scim/v2/Users', { headers })).status).toBe(401);
  });

  test('gives its token no other door', async () => {
    for (const headers of [{ authorization: `Bearer ${one.token}` }, { 'zt-session': one.token }]) {
      const rest = await controller.send('GET', '/edge/management/v1/identities', { headers });
      expect(rest.status).toBe(401);
      const graph = await controller.send<Row>('POST', '/graphql', {
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ directories { totalCount } }' }),
      });
      expect(graph.body).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHORIZED' } }] });
    }
  });

  test('refuses what is no request of SCIM, in the words of SCIM', async () => {
    const id = await one.user();
    const refusals: readonly (readonly [string, string, unknown, number, string | undefined])[] = [
      ['POST', '/Users', [], 400, 'invalidSyntax'],
      ['POST', '/Users', {}, 400, 'invalidValue'],
      ['POST', '/Users', { userName: 'x'.repeat(300) }, 400, 'invalidValue'],
      ['POST', '/Users', { userName: 'x', active: 'maybe' }, 400, 'invalidValue'],
      ['PATCH', `/Users/${id}`, { Operations: [{ op: 'move' }] }, 400, 'invalidSyntax'],
      ['PATCH', `/Users/${id}`, { Operations: [{ op: 'remove' }] }, 400, 'noTarget'],
      [
        'PATCH',
        `/Users/${id}`,
        { Operations: [{ op: 'add', path: '[', value: 1 }] },
        400,
        'invalidPath',
      ],
      ['POST', '/Groups', { displayName: '' }, 400, 'invalidValue'],
      [
        'POST',
        '/Groups',
        { displayName: 'x', members: [{ value: 'nobody' }] },
        400,
        'invalidValue',
      ],
      ['PATCH', '/Users', {}, 405, undefined],
      ['GET', '/Nothing', undefined, 404, undefined],
      ['GET', '/Users/%ff', undefined, 404, undefined],
    ];
    for (const [method, path, body, status, scimType] of refusals) {
      const answer = await one.call(method, path, body);
      expect([method, path, answer.status, answer.body.scimType]).toStrictEqual([
        method,
        path,
        status,
        scimType,
      ]);
    }
    expect((await one.call('GET', '/Groups')).body.totalResults).toBe(0);
  });

  test('refuses bodies that are too large', async () => {
    const answer = await one.call('POST', '/Users', { userName: 'x', title: 'x'.repeat(2 ** 20) });
    expect(answer.status).toBe(413);
  });
});

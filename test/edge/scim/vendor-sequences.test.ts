import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { startController, type TestController } from '../../support/controller.js';
import { Provider, unique } from './provider.js';

/** The requests that Entra ID and Okta document for their provisioning. */

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

let controller: TestController;
let provider: Provider;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());
beforeEach(async () => {
  provider = await Provider.start(controller);
});

const filtered = (attribute: string, value: string): string =>
  `filter=${encodeURIComponent(`${attribute} eq "${value}"`)}`;

/** Gives an identity a password, and a session by it. */
async function sessionOf(identityId: string): Promise<string> {
  const username = unique('login');
  const password = 'a good password';
  await controller.create('authenticators', { identityId, method: 'updb', username, password });
  return controller.login(username, password);
}

const isLive = async (token: string): Promise<boolean> =>
  (await controller.rest('GET', '/current-api-session', undefined, { 'zt-session': token }))
    .status === 200;

describe('Entra ID', () => {
  const newUser = (): Row => {
    const userName = `${unique('Test_User')}@example.com`;
    return {
      schemas: [USER, ENTERPRISE],
      externalId: unique('0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef'),
      userName,
      active: true,
      emails: [{ primary: true, type: 'work', value: userName }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
      [ENTERPRISE]: { department: 'Sales' },
    };
  };

  test('looks for a user, creates it, and reads back what it wrote', async () => {
    const user = newUser();
    const userName = String(user.userName);
    const before = await provider.call('GET', `/Users?${filtered('userName', userName)}`);
    expect(before).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/scim+json' },
      body: { schemas: [LIST], totalResults: 0, Resources: [] },
    });
    const created = await provider.call('POST', '/Users', user);
    expect(created.status).toBe(201);
    const id = String(created.body.id);
    const shown = { ...user, id, groups: [], meta: { resourceType: 'User' } };
    expect(created.body).toMatchObject(shown);
    expect(created.headers.location).toBe((created.body.meta as Row).location);
    expect((await provider.call('GET', `/Users/${id}`)).body).toStrictEqual(created.body);
    for (const filter of [
      filtered('userName', userName.toUpperCase()),
      filtered('externalId', String(user.externalId)),
      filtered('emails[type eq "work"].value', userName),
      filtered(`${USER}:userName`, userName),
    ]) {
      const { body } = await provider.call('GET', `/Users?${filter}`);
      expect(body).toMatchObject({ totalResults: 1, Resources: [shown] });
    }
    expect(await provider.identity(id)).toMatchObject({
      name: userName,
      externalId: user.externalId,
      disabled: false,
      roleAttributes: [],
    });
    expect(await provider.call('POST', '/Users', user)).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness', status: '409' },
    });
  });

  test('changes single attributes, with its own spelling of operations', async () => {
    const { body: created } = await provider.call('POST', '/Users', newUser());
    const path = `/Users/${String(created.id)}`;
    const { status, body } = await provider.patch(
      path,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@example.com' },
      { op: 'Replace', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555' },
      { op: 'Add', path: 'name.familyName', value: 'Lovelace' },
      { op: 'Replace', path: `${ENTERPRISE}:department`, value: 'Research' },
      { op: 'Add', path: `${ENTERPRISE}:manager.value`, value: 'boss' },
      { op: 'Replace', value: { 'name.givenName': 'Ada', displayName: 'Ada L' } },
      { op: 'Remove', path: 'roles' },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      emails: [{ primary: true, type: 'work', value: 'new@example.com' }],
      phoneNumbers: [{ type: 'mobile', value: '+1 555' }],
      name: { familyName: 'Lovelace', givenName: 'Ada', formatted: 'givenName familyName' },
      displayName: 'Ada L',
      [ENTERPRISE]: { department: 'Research', manager: { value: 'boss' } },
    });
    expect(body).not.toHaveProperty('roles');
  });

  test('disables a user by a text, which ends its sessions, and enables it again', async () => {
    const id = await provider.user();
    const session = await sessionOf(id);
    const disabled = await provider.patch(`/Users/${id}`, {
      op: 'Replace',
      path: 'active',
      value: 'False',
    });
    expect(disabled.body).toMatchObject({ active: false });
    expect(await isLive(session)).toBe(false);
    expect(await provider.identity(id)).toMatchObject({ disabled: true });
    await provider.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'True' });
    expect(await provider.identity(id)).toMatchObject({ disabled: false });
  });

  test('creates a group, and adds and removes its members', async () => {
    const displayName = unique('engineering');
    const [one, two] = [await provider.user(), await provider.user()];
    const created = await provider.call('POST', '/Groups', {
      schemas: [GROUP],
      externalId: unique('group'),
      displayName,
      meta: { resourceType: 'Group' },
    });
    expect(created.status).toBe(201);
    const path = `/Groups/${String(created.body.id)}`;
    const found = await provider.call(
      'GET',
      `/Groups?excludedAttributes=members&${filtered('displayName', displayName)}`,
    );
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ displayName }] });
    expect((found.body.Resources as Row[])[0]).not.toHaveProperty('members');
    const add = (value: string): Row => ({ op: 'Add', path: 'members', value: [{ value }] });
    expect((await provider.patch(path, add(one))).status).toBe(204);
    expect((await provider.patch(path, add(two), add(two))).status).toBe(204);
    expect(await provider.membersOf(String(created.body.id))).toStrictEqual([one, two].sort());
    const roleAttribute = `${provider.prefix}${displayName}`;
    expect(await provider.identity(one)).toMatchObject({ assignedRoleAttributes: [roleAttribute] });
    const user = await provider.call('GET', `/Users/${one}`);
    expect(user.body).toMatchObject({ groups: [{ value: created.body.id, display: displayName }] });
    await provider.patch(path, { op: 'Remove', path: 'members', value: [{ value: one }] });
    await provider.patch(path, { op: 'Remove', path: `members[value eq "${two}"]` });
    expect(await provider.membersOf(String(created.body.id))).toStrictEqual([]);
    expect(await provider.identity(two)).toMatchObject({ assignedRoleAttributes: [] });
    expect((await provider.call('DELETE', path)).status).toBe(204);
    expect((await provider.call('GET', path)).status).toBe(404);
  });

  test('deletes a user: its identity is disabled, loses its groups, and comes back with the same id', async () => {
    const user = newUser();
    const { body } = await provider.call('POST', '/Users', user);
    const id = String(body.id);
    await provider.group(unique('staff'), [id]);
    expect((await provider.call('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await provider.call('GET', `/Users/${id}`)).status).toBe(404);
    expect((await provider.call('DELETE', `/Users/${id}`)).status).toBe(404);
    expect((await provider.call('GET', '/Users')).body.totalResults).toBe(0);
    expect(await provider.identity(id)).toMatchObject({
      disabled: true,
      assignedRoleAttributes: [],
    });
    const again = await provider.call('POST', '/Users', user);
    expect(again).toMatchObject({ status: 201, body: { id, active: true } });
    expect(await provider.identity(id)).toMatchObject({ disabled: false });
  });

  test('gives the name of a deleted user to another person, who gets nothing of the former one', async () => {
    const user = newUser();
    const { body: former } = await provider.call('POST', '/Users', user);
    await provider.call('DELETE', `/Users/${String(former.id)}`);
    const other = { ...user, externalId: unique('other') };
    const { status, body } = await provider.call('POST', '/Users', other);
    expect(status).toBe(201);
    expect(body.id).not.toBe(former.id);
    expect(await provider.identity(String(former.id))).toBeUndefined();
  });
});

describe('Okta', () => {
  const newUser = (): Row => {
    const userName = `${unique('okta')}@example.com`;
    return {
      schemas: [USER],
      userName,
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: userName, type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: unique('00ujl29u0le5T6Aj10h7'),
      groups: [],
      password: '1mz050nq',
      active: true,
    };
  };

  test('tests the connection', async () => {
    const config = await provider.call('GET', '/ServiceProviderConfig');
    expect(config).toMatchObject({ status: 200, body: { patch: { supported: true } } });
    const users = await provider.call('GET', '/Users?startIndex=1&count=2');
    expect(users.body).toMatchObject({ totalResults: 0, startIndex: 1, itemsPerPage: 0 });
    for (const path of ['/ResourceTypes', '/Schemas', `/Schemas/${USER}`, '/ResourceTypes/User']) {
      expect((await provider.call('GET', path)).status).toBe(200);
    }
  });

  test('creates, replaces, disables and enables a user', async () => {
    const user = newUser();
    const created = await provider.call('POST', '/Users', user);
    expect(created.status).toBe(201);
    expect(created.text).not.toContain('1mz050nq');
    const path = `/Users/${String(created.body.id)}`;
    const replaced = await provider.call('PUT', path, {
      ...user,
      id: created.body.id,
      displayName: 'Another Name',
      locale: undefined,
      meta: { resourceType: 'User' },
    });
    expect(replaced).toMatchObject({ status: 200, body: { displayName: 'Another Name' } });
    expect(replaced.body).not.toHaveProperty('locale');
    const active = (value: boolean): Row => ({ op: 'replace', value: { active: value } });
    expect((await provider.patch(path, active(false))).body).toMatchObject({ active: false });
    expect(await provider.identity(String(created.body.id))).toMatchObject({ disabled: true });
    const enabled = await provider.call('PUT', path, { ...user, active: true });
    expect(enabled.body).toMatchObject({ active: true });
    expect(await provider.identity(String(created.body.id))).toMatchObject({ disabled: false });
  });

  test('creates a group with members, renames it, and replaces its members', async () => {
    const ids = [await provider.user(), await provider.user(), await provider.user()];
    const [one = '', two = '', three = ''] = ids;
    const displayName = unique('support');
    const id = await provider.group(displayName, [one, two]);
    expect(await provider.membersOf(id)).toStrictEqual([one, two].sort());
    const newName = unique('renamed');
    const renamed = await provider.patch(`/Groups/${id}`, {
      op: 'replace',
      value: { id, displayName: newName },
    });
    expect(renamed.status).toBe(204);
    expect(await provider.identity(one)).toMatchObject({
      assignedRoleAttributes: [provider.prefix + newName],
    });
    await provider.patch(`/Groups/${id}`, {
      op: 'replace',
      path: 'members',
      value: [{ value: two }, { value: three, display: 'x' }],
    });
    expect(await provider.membersOf(id)).toStrictEqual([two, three].sort());
    const put = { schemas: [GROUP], id, displayName: newName, members: [{ value: one }] };
    const replaced = await provider.call('PUT', `/Groups/${id}`, put);
    expect(replaced).toMatchObject({ status: 200, body: { members: [{ value: one }] } });
    expect(await provider.identity(two)).toMatchObject({ assignedRoleAttributes: [] });
    await provider.call('PUT', `/Groups/${id}`, { displayName });
    expect(await provider.membersOf(id)).toStrictEqual([one]);
  });

  test('reads users page by page, and chooses them by filters', async () => {
    for (const givenName of ['Ada', 'Bob', 'Cleo']) {
      await provider.user({ name: { givenName }, active: givenName !== 'Bob' });
    }
    const ids: unknown[] = [];
    for (const startIndex of [1, 3]) {
      const { body } = await provider.call(
        'GET',
        `/Users?startIndex=${String(startIndex)}&count=2`,
      );
      expect(body).toMatchObject({ totalResults: 3, startIndex });
      ids.push(...(body.Resources as Row[]).map(({ id }) => id));
    }
    expect(new Set(ids).size).toBe(3);
    const names = async (filter: string): Promise<unknown[]> => {
      const query = `filter=${encodeURIComponent(filter)}&attributes=name`;
      const { body } = await provider.call('GET', `/Users?${query}`);
      return (body.Resources as { name: { givenName: string } }[])
        .map(({ name }) => name.givenName)
        .sort();
    };
    expect(await names('name.givenName co "O"')).toStrictEqual(['Bob', 'Cleo']);
    expect(await names('active eq true and not (name.givenName sw "a")')).toStrictEqual(['Cleo']);
    expect(await names('name.givenName eq "ada" or active eq false')).toStrictEqual(['Ada', 'Bob']);
    expect(await names('title pr')).toStrictEqual([]);
    const wrong = await provider.call('GET', `/Users?filter=${encodeURIComponent('userName eq')}`);
    expect(wrong).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
  });
});

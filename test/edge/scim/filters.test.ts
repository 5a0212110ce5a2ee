import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { startController, type TestController } from '../../support/controller.js';
import { Provider } from './provider.js';

/** Filters of RFC 7644 3.4.2.2 see each attribute that an answer shows, members, groups and `meta` too. */

let controller: TestController;
let provider: Provider;
let ada: string;
let bob: string;
let staff: string;
let guests: string;
const BEFORE = '2011-05-13T04:42:34Z';
const AFTER = '2199-01-01T00:00:00+02:00';

beforeAll(async () => {
  controller = await startController();
  provider = await Provider.start(controller);
  ada = await provider.user({ name: { givenName: 'Ada' } });
  bob = await provider.user({ name: { givenName: 'Bob' } });
  staff = await provider.group('Staff', [ada, bob]);
  guests = await provider.group('Guests', [bob]);
});
afterAll(() => controller.stop());

/** The ids of the resources that a filter chooses, in their order. */
async function chosen(collection: 'Users' | 'Groups', filter: string): Promise<unknown> {
  const query = `excludedAttributes=members,groups,meta&filter=${encodeURIComponent(filter)}`;
  const { status, body } = await provider.call('GET', `/${collection}?${query}`);
  if (status !== 200) return body;
  const resources = body.Resources as Row[];
  for (const hidden of ['members', 'groups', 'meta']) {
    for (const resource of resources) expect(resource).not.toHaveProperty(hidden);
  }
  expect(body.totalResults).toBe(resources.length);
  return resources.map(({ id }) => id).sort();
}

const sorted = (...ids: readonly string[]): string[] => [...ids].sort();

test('asks whether a user is a member of a group, as Entra ID does', async () => {
  for (const member of ['members eq', 'members.value eq', 'Members[value eq']) {
    const end = member.includes('[') ? ']' : '';
    const isIn = (group: string, user: string): Promise<unknown> =>
      chosen('Groups', `id eq "${group}" and ${member} "${user}"${end}`);
    expect(await isIn(staff, ada)).toStrictEqual([staff]);
    expect(await isIn(guests, ada)).toStrictEqual([]);
    expect(await isIn(guests, bob)).toStrictEqual([guests]);
    expect(await chosen('Groups', `${member} "${ada}"${end}`)).toStrictEqual([staff]);
    expect(await chosen('Groups', `${member} "${bob}"${end}`)).toStrictEqual(sorted(staff, guests));
    expect(await chosen('Groups', `${member} "nobody"${end}`)).toStrictEqual([]);
  }
});

test('chooses groups by their members together with other attributes', async () => {
  expect(await chosen('Groups', `displayName eq "guests" and members eq "${bob}"`)).toStrictEqual([
    guests,
  ]);
  expect(await chosen('Groups', `members eq "${ada}" or displayName sw "g"`)).toStrictEqual(
    sorted(staff, guests),
  );
  expect(await chosen('Groups', `not (members eq "${ada}")`)).toStrictEqual([guests]);
  expect(await chosen('Groups', `members ne "${ada}"`)).toStrictEqual([guests]);
  expect(await chosen('Groups', 'members pr')).toStrictEqual(sorted(staff, guests));
  expect(await chosen('Groups', 'members.type eq "User"')).toStrictEqual(sorted(staff, guests));
});

test('chooses users by their groups', async () => {
  expect(await chosen('Users', `groups eq "${guests}"`)).toStrictEqual([bob]);
  expect(await chosen('Users', 'groups.display eq "STAFF"')).toStrictEqual(sorted(ada, bob));
  expect(await chosen('Users', `groups[display eq "Staff"] and id eq "${ada}"`)).toStrictEqual([
    ada,
  ]);
  expect(await chosen('Users', `groups.value eq "${guests}" and id eq "${ada}"`)).toStrictEqual([]);
});

test('compares times as times, in whatever spelling', async () => {
  const { body } = await provider.call('GET', `/Users/${ada}`);
  const { created } = body.meta as { created: string };
  const inAnotherZone = new Date(Date.parse(created) + 3_600_000)
    .toISOString()
    .replace('Z', '+01:00');
  expect(await chosen('Users', `id eq "${ada}" and meta.created eq "${inAnotherZone}"`)).toEqual([
    ada,
  ]);
  for (const [collection, all] of [
    ['Users', sorted(ada, bob)],
    ['Groups', sorted(staff, guests)],
  ] as const) {
    expect(await chosen(collection, `meta.lastModified gt "${BEFORE}"`)).toStrictEqual(all);
    expect(await chosen(collection, `meta.lastModified ge "${AFTER}"`)).toStrictEqual([]);
    expect(await chosen(collection, `meta.created lt "${AFTER}"`)).toStrictEqual(all);
    expect(await chosen(collection, `meta.created le "${BEFORE}"`)).toStrictEqual([]);
    const type = collection === 'Users' ? 'User' : 'Group';
    expect(await chosen(collection, `meta.resourceType eq "${type}"`)).toStrictEqual(all);
    expect(
      await chosen(collection, `schemas eq "urn:ietf:params:scim:schemas:core:2.0:${type}"`),
    ).toStrictEqual(all);
  }
});

test('reads by an index only what the whole filter asks for', async () => {
  expect(await chosen('Users', `id eq "${ada}" and name.givenName eq "Bob"`)).toStrictEqual([]);
  expect(await chosen('Users', `id eq "${ada}" and active eq true`)).toStrictEqual([ada]);
  expect(await chosen('Users', `not (id eq "${ada}")`)).toStrictEqual([bob]);
  expect(await chosen('Users', `id eq "${ada}" or id eq "${bob}"`)).toStrictEqual(sorted(ada, bob));
  expect(await chosen('Users', `id eq "${ada}" and id eq "${bob}"`)).toStrictEqual([]);
});

test('shows no member of a group of another directory', async () => {
  const other = await Provider.start(controller);
  const filter = encodeURIComponent(`members eq "${ada}"`);
  expect((await other.call('GET', `/Groups?filter=${filter}`)).body.totalResults).toBe(0);
});

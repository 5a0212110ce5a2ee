import { expect, test } from '@jest/globals';
import type { JsonObject } from '../../../src/base/row.js';
import { DISCOVERY_ROWS } from '../../../src/edge/scim/discovery-rows.js';
import type { DirectoryRequest } from '../../../src/edge/directories/directory-request.js';

/** The schemas of RFC 7643 7 and 8.7.1. */

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

async function read(path: string, id = ''): Promise<JsonObject> {
  const row = DISCOVERY_ROWS.find((one) => one.path === path);
  const reply = await row?.serve({ id } as DirectoryRequest);
  return reply?.body ?? {};
}

const namesOf = ({ attributes }: JsonObject): readonly string[] =>
  (attributes as { name: string }[]).map(({ name }) => name);

test('each schema that a type of resources names is listed, and has an address of its own', async () => {
  const types = (await read('/ResourceTypes')).Resources as JsonObject[];
  const schemas = (await read('/Schemas')).Resources as JsonObject[];
  const named = types.flatMap(({ schema, schemaExtensions }) => [
    schema as string,
    ...((schemaExtensions ?? []) as { schema: string }[]).map((one) => one.schema),
  ]);
  expect(named).toContain(ENTERPRISE);
  expect(schemas.map(({ id }) => id).sort()).toStrictEqual([...named].sort());
  for (const id of named) {
    expect(await read('/Schemas/{id}', id)).toMatchObject({ id });
  }
});

test('the schemas have the attributes of users that the controller stores', async () => {
  expect(namesOf(await read('/Schemas/{id}', USER))).toEqual(
    expect.arrayContaining([
      ...['userName', 'name', 'displayName', 'nickName', 'profileUrl', 'title', 'userType'],
      ...['preferredLanguage', 'locale', 'timezone', 'active', 'emails', 'phoneNumbers', 'ims'],
      ...['photos', 'addresses', 'groups', 'entitlements', 'roles', 'x509Certificates'],
    ]),
  );
  expect(namesOf(await read('/Schemas/{id}', ENTERPRISE))).toStrictEqual([
    ...['employeeNumber', 'costCenter', 'organization', 'division', 'department', 'manager'],
  ]);
});

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { attribute, attributeSet, text } from '../../../src/kernel/declare/attribute.js';
import { Catalog } from '../../../src/kernel/declare/catalog.js';
import { resource } from '../../../src/kernel/declare/resource.js';
import { searchedAttributes, searchedResources } from '../../../src/kernel/declare/searched.js';
import { Reader } from '../../../src/kernel/read/reader.js';
import {
  Holdings,
  NO_CREDENTIALS,
  NO_MODULES,
  type RequestContext,
} from '../../../src/kernel/request/context.js';
import { catalog } from '../../../src/resources/index.js';
import { Entity, NamedEntity } from '../../../src/resources/entity.js';
import { Search } from '../../../src/inventory/search/index.js';
import { Database } from '../../../src/data/store/database.js';
import { ModelStore } from '../../../src/data/store/model-store.js';
import { createTable } from '../../../src/data/store/schema/table-sql.js';
import { declaredTables } from '../../../src/data/store/tables/index.js';
import { createEmptyDatabase, type TestDatabase } from '../../support/database.js';
import { ADMIN } from '../../support/in-process.js';

/* Searches find a resource that the program does not know, by what its declaration says. */

@resource({
  description: 'A place where routers stand.',
  plural: 'Sites',
  path: 'sites',
  permission: 'site',
})
class Site extends NamedEntity {
  @attribute(attributeSet(), { description: 'Its roles.' })
  kinds!: string[];

  @attribute(text(), { description: 'Its number in the land register.', isExternalId: true })
  plot!: string;

  @attribute(text(), { description: 'A note, which nobody searches.' })
  note!: string;

  @attribute(text(), { description: 'A secret.', hidden: true, isExternalId: true })
  hiddenKey!: string;
}

@resource({
  description: 'A visit of a site.',
  plural: 'Visits',
  path: 'visits',
  permission: 'site',
  isRecord: true,
})
class Visit extends NamedEntity {}

@resource({ description: 'A stay.', plural: 'Stays', path: 'stays', permission: 'site' })
class Stay extends Entity {}

const siteCatalog = new Catalog({ Site, Visit, Stay }, new Map());

let database: TestDatabase;
let connection: Database;
let ctx: RequestContext;
let search: Search;

beforeAll(async () => {
  database = await createEmptyDatabase();
  connection = new Database({ url: database.url, named: true, connections: 2 });
  const table = declaredTables(siteCatalog).find(({ name }) => name === 'site');
  if (!table) throw new Error('the resource has a table');
  await connection.pool.query(createTable(table));
  await connection.pool.query(
    `insert into site (id, created_at, updated_at, name, tags, kinds, plot, note, hidden_key) values
       ('s1', now(), now(), 'Quay', '{"city": "Hamburg"}', '{harbour}', 'HH 7/12', 'rainy', 'sesame'),
       ('s2', now(), now(), 'Depot', '{}', '{}', 'B 1', 'harbour', 'sesame')`,
  );
  const store = new ModelStore(connection, siteCatalog, 1);
  search = new Search({ catalog: siteCatalog, store });
  ctx = {
    requestId: 'test',
    address: '127.0.0.1',
    caller: ADMIN,
    credentials: NO_CREDENTIALS,
    modules: NO_MODULES,
    now: () => new Date(),
    holdings: new Holdings(),
    catalog: siteCatalog,
    store,
    reader: new Reader(() => ctx),
  };
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});

const hitsOf = async (text: string): Promise<unknown[]> => {
  const { hits } = await search.find(ctx, { text }, { after: undefined, offset: 0, limit: 10 });
  return hits.map(({ place, name, matchedBy, matchedText }) => [
    place.type,
    name,
    matchedBy,
    matchedText,
  ]);
};

test.each([
  ['s1', [['Site', 'Quay', 'ID', 's1']]],
  ['depot', [['Site', 'Depot', 'NAME', 'Depot']]],
  ['hh 7', [['Site', 'Quay', 'EXTERNAL_ID', 'HH 7/12']]],
  ['harbour', [['Site', 'Quay', 'ROLE_ATTRIBUTE', '#harbour']]],
  ['hamburg', [['Site', 'Quay', 'TAG', 'Hamburg']]],
  ['rainy', []],
  ['sesame', []],
])('%s finds it', async (text, expected) => {
  expect(await hitsOf(text)).toStrictEqual(expected);
});

test('records, and resources without names, are not searched', () => {
  expect(searchedResources(siteCatalog).map(({ name }) => name)).toStrictEqual(['Site']);
});

test('of the program, all kinds that people look for are searched, and nothing secret', () => {
  const searched = searchedResources(catalog);
  expect(searched.map(({ name }) => name).sort()).toStrictEqual([
    'AccessOffer',
    'AccessRule',
    'AuthPolicy',
    'CertificateAuthority',
    'Config',
    'ConfigType',
    'Directory',
    'EdgeRouter',
    'EdgeRouterPolicy',
    'ExternalJwtSigner',
    'Identity',
    'PostureCheck',
    'Service',
    'ServiceEdgeRouterPolicy',
    'ServicePolicy',
    'Terminator',
    'TransitRouter',
  ]);
  const names = searched.flatMap((each) => searchedAttributes(each).map(({ name }) => name));
  expect([...new Set(names)].sort()).toStrictEqual([
    'address',
    'approverRoles',
    'edgeRouterRoles',
    'externalId',
    'fingerprint',
    'id',
    'identity',
    'identityRoles',
    'issuer',
    'name',
    'postureCheckRoles',
    'requesterRoles',
    'roleAttributes',
    'serviceRoles',
    'tags',
  ]);
});

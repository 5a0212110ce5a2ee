import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { PLAIN_PASSWORDS } from '../../support/auth-settings.js';
import { InProcess } from '../../support/in-process.js';
import { NamedEntities } from '../../support/named-entities.js';
import {
  apply,
  codeOf,
  create,
  fillForApplying,
  newPerson,
  newService,
  remove,
  traces,
  tryToSimulate,
  update,
} from './support.js';

/** Lists of changes as import files, and import files as lists of changes. */

let controller: InProcess;
const named = new NamedEntities(() => controller);

beforeAll(async () => {
  controller = await InProcess.start();
  await fillForApplying(named);
});
afterAll(() => controller.stop());

interface Exported {
  readonly document: Record<string, Row[]>;
  readonly omitted: readonly string[];
}

async function exported(changes: readonly Row[]): Promise<Exported> {
  const answer = await controller.read<{ exportChanges: Exported }>(
    'query ($changes: [ModelChangeInput!]!) { exportChanges(changes: $changes) { document omitted } }',
    { changes: [...changes] },
  );
  return answer.exportChanges;
}

interface Opened {
  readonly nodes: readonly (Row & { readonly id: string; readonly revision: number | null })[];
  readonly totalCount: number;
  readonly unlisted: readonly string[];
}

async function opened(document: unknown): Promise<Opened> {
  const answer = await controller.read<{ simulateImport: { faults: string[]; changes: Opened } }>(
    `query ($document: JSON!) { simulateImport(document: $document) { faults
      changes { totalCount unlisted nodes { operation type id: entityId name revision input } } } }`,
    { document },
  );
  expect(answer.simulateImport.faults).toEqual([]);
  return answer.simulateImport.changes;
}

/** The changes as `simulate` takes them. */
const listOf = ({ nodes }: Opened): Row[] =>
  nodes.map(({ operation, type, id, input }) => ({ operation, type, id, input }));

/** The access that changes give and take, by names: new entities have other ids. */
async function effectOf(changes: readonly Row[]): Promise<string[]> {
  const pairs = 'nodes { identityName serviceName type }';
  const { simulate } = await controller.read<{ simulate: Record<string, { nodes: Row[] }> }>(
    `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) {
      gained(first: 500) { ${pairs} } lost(first: 500) { ${pairs} } } }`,
    { changes: [...changes] },
  );
  return Object.entries(simulate)
    .flatMap(([side, { nodes }]) => nodes.map((pair) => [side, ...Object.values(pair)].join(' ')))
    .sort();
}

async function adminId(): Promise<string> {
  const { identities } = await controller.read<{ identities: { nodes: { id: string }[] } }>(
    '{ identities(filter: "isDefaultAdmin = true") { nodes { id } } }',
  );
  return identities.nodes[0]?.id ?? '';
}

test('a list of changes is a document that has its effect, and becomes the same list', async () => {
  const changes = [
    newService('mail', { roleAttributes: ['at wiki'] }),
    newPerson('max', { roleAttributes: ['staff'] }),
    update('identity', named.idOf('eve'), { roleAttributes: ['guest', 'staff'], tags: { a: 1 } }),
    create('servicePolicy', 'mailing', {
      name: 'mailing',
      type: 'Bind',
      semantic: 'AnyOf',
      identityRoles: ['@max', `@${named.idOf('ada')}`],
      serviceRoles: ['@mail'],
    }),
    update('servicePolicy', named.idOf('staff reads'), { serviceRoles: ['#at wiki', '#at crm'] }),
  ];
  const before = await traces(controller);
  const { document, omitted } = await exported(changes);
  expect(omitted).toEqual([]);
  expect(document).toMatchObject({
    services: [{ name: 'mail', encryptionRequired: true, roleAttributes: ['at wiki'] }],
    identities: [
      { name: 'max', authPolicy: '@Default' },
      { name: 'eve', roleAttributes: ['guest', 'staff'], tags: { a: 1 } },
    ],
    servicePolicies: [
      { name: 'mailing', identityRoles: ['@ada', '@max'], serviceRoles: ['@mail'] },
      { name: 'staff reads', serviceRoles: ['#at crm', '#at wiki'] },
    ],
  });
  expect(Object.keys(document.identities?.[1] ?? {})).toEqual(['name', 'roleAttributes', 'tags']);
  const again = await opened(document);
  expect(again.unlisted).toEqual([]);
  expect(again.nodes.map(({ operation, name, revision }) => [operation, name, revision])).toEqual(
    expect.arrayContaining([
      ['create', 'mail', null],
      ['create', 'max', null],
      ['update', 'eve', 1],
      ['create', 'mailing', null],
      ['update', 'staff reads', 1],
    ]),
  );
  expect(again.nodes.find(({ name }) => name === 'eve')?.input).toEqual({
    roleAttributes: ['guest', 'staff'],
    tags: { a: 1 },
  });
  expect(await effectOf(listOf(again))).toEqual(await effectOf(changes));
  expect(await traces(controller)).toStrictEqual(before);
  expect(await opened(document)).toStrictEqual(again);
});

test('a document says what it does not hold', async () => {
  const { document, omitted } = await exported([
    remove('service', named.idOf('vault')),
    newPerson('tom', { enrollment: { ott: true } }),
    update('identity', named.idOf('ada'), { name: 'ada lovelace', roleAttributes: ['math'] }),
    update('identity', await adminId(), { isAdmin: true, tags: { b: 2 } }),
  ]);
  expect(omitted).toEqual([
    'changes[0]: an import deletes nothing',
    'changes[1].input.enrollment: import files have no such member',
    'changes[2].input.name: an import finds entities by their names, so it renames none',
    'changes[3].input.isAdmin: an import leaves it to the default administrator',
  ]);
  expect(Object.keys(document)).toEqual(['identities']);
  expect(document.identities).toEqual([
    expect.objectContaining({ name: 'tom' }),
    { name: 'ada', roleAttributes: ['math'] },
    { name: 'admin', tags: { b: 2 } },
  ]);
});

test('a new router brings its identity, which the document changes as well', async () => {
  const changes = [
    create('edgeRouter', 'north', { name: 'north', isTunnelerEnabled: true }),
    update('identity', 'north', { roleAttributes: ['staff'] }),
  ];
  const again = await opened((await exported(changes)).document);
  expect(again.nodes.map(({ type, revision }) => [type, revision])).toEqual([
    ['edgeRouter', null],
    ['identity', null],
  ]);
  expect(codeOf(await tryToSimulate(controller, listOf(again)))).toBe('done');
  expect(await effectOf(listOf(again))).toEqual(await effectOf(changes));
});

test('identities of an import come with the auth policies and signers that they name', async () => {
  const { nodes, unlisted } = await opened({
    externalJwtSigners: [
      {
        name: 'the college',
        issuer: 'https://college.example/',
        audience: 'network',
        jwksEndpoint: 'https://college.example/keys',
        enabled: true,
        enrollToCertEnabled: true,
        enrollAuthPolicy: '@by the college',
      },
    ],
    authPolicies: [
      {
        name: 'by the college',
        primary: {
          cert: { allowed: false, allowExpiredCerts: false },
          extJwt: { allowed: true, allowedSigners: ['@the college'] },
          updb: { ...PLAIN_PASSWORDS, allowed: false },
        },
        secondary: { requireTotp: false, requireExtJwtSigner: '@the college' },
      },
    ],
    identities: [
      { name: 'student', typeId: 'Default', isAdmin: false, authPolicy: '@by the college' },
    ],
  });
  expect(unlisted).toEqual([]);
  expect(nodes.map(({ type, name }) => [type, name])).toEqual([
    ['externalJwtSigner', 'the college'],
    ['authPolicy', 'by the college'],
    ['identity', 'student'],
  ]);
  const changes = nodes.map(({ operation, type, id, input }) => ({ operation, type, id, input }));
  await apply(controller, changes);
  const { identities } = await controller.read<{ identities: { nodes: Row[] } }>(
    '{ identities(filter: "name = \\"student\\"") { nodes { authPolicy { name } } } }',
  );
  expect(identities.nodes).toEqual([{ authPolicy: { name: 'by the college' } }]);
  const { externalJwtSigners } = await controller.read<{ externalJwtSigners: { nodes: Row[] } }>(
    '{ externalJwtSigners { nodes { enrollAuthPolicy { name } } } }',
  );
  expect(externalJwtSigners.nodes).toEqual([{ enrollAuthPolicy: { name: 'by the college' } }]);
});

test('an import says what lists of changes do not contain', async () => {
  const { nodes, unlisted } = await opened({
    accessRules: [
      {
        name: 'never',
        kind: 'MUST_NEVER_REACH',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['@eve'],
        serviceRoles: ['@vault'],
      },
    ],
    identities: [{ name: 'ada', disabled: true }],
  });
  expect(nodes).toEqual([]);
  expect(unlisted).toEqual([
    'identities[0] "ada": lists of changes do not disable or enable identities',
    'accessRules[0] "never": lists of changes do not contain accessRules',
  ]);
});

test('an entity that is already as the document says needs no change', async () => {
  await apply(controller, [newService('done', { roleAttributes: ['b', 'a'] })]);
  const services = [{ name: 'done', roleAttributes: ['b', 'a'], encryptionRequired: true }];
  expect((await opened({ services })).totalCount).toBe(0);
});

test('an entity that was renamed since its import is not in the way of the next one', async () => {
  const document = { services: [{ name: 'chat', encryptionRequired: true }] };
  const first = await opened(document);
  await apply(controller, listOf(first));
  await apply(controller, [update('service', first.nodes[0]?.id ?? '', { name: 'talk' })]);
  expect(codeOf(await tryToSimulate(controller, listOf(await opened(document))))).toBe('done');
});

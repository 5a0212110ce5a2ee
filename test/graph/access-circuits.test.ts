import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Circuit } from '../../src/network/fabric/circuit.js';
import { circuitsIn } from '../../src/network/fabric/stored-circuits.js';
import { sql } from '../../src/base/sql.js';
import { testCircuit } from '../support/test-circuit.js';
import { callerOf, InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { settledChange } from '../support/settled-change.js';

/** Answers about access say which circuits use it now. */

const PEOPLE = ['ada', 'bob', 'eve'];
const SERVICES = ['wiki', 'mail'];
const READ = ['identity.read', 'service.read', 'service-policy.read'];

let controller: InProcess;
const { idOf, make } = new NamedEntities(() => controller);

beforeAll(async () => {
  controller = await InProcess.start();
  const roles = { type: 'Default', isAdmin: false, roleAttributes: ['people'] };
  for (const name of PEOPLE) await make('Identity', name, roles);
  for (const name of SERVICES) await make('Service', name, { encryptionRequired: true });
  const policy = { semantic: 'AnyOf', identityRoles: ['#people'], serviceRoles: ['#all'] };
  await make('ServicePolicy', 'people dial', { ...policy, type: 'Dial' });
  await make('ServicePolicy', 'people host', { ...policy, type: 'Bind' });
});
afterAll(() => controller.stop());
beforeEach(() => controller.parts.store.query(sql`delete from circuit`));

let count = 0;

/** Stores a circuit of somebody to a service that somebody hosts; gives its id. */
async function circuit(client: string, service: string, host: string): Promise<string> {
  const one = circuitOf(client, service, host);
  await circuitsIn(controller.parts.store).put([one]);
  return one.id;
}

const circuitOf = (client: string, service: string, host: string): Circuit =>
  testCircuit({
    id: `circuit ${String((count += 1)).padStart(6, '0')}`,
    serviceId: idOf(service),
    identityId: idOf(client),
    hostId: idOf(host),
    createdAt: new Date(),
  });

interface Answer {
  readonly identityName: string;
  readonly serviceName: string;
  readonly type: string;
  readonly circuits: { readonly totalCount: number; readonly nodes: readonly { id: string }[] };
}

const CIRCUITS = 'circuits { totalCount nodes { id } }';
const LIST = `{ accesses(first: 50) { nodes { identityName serviceName type ${CIRCUITS} } } }`;

/** The circuits of the answers that have some. */
const used = (nodes: readonly Answer[]): unknown[] =>
  nodes.flatMap(({ identityName, serviceName, type, circuits }) =>
    circuits.totalCount === 0
      ? []
      : [[identityName, serviceName, type, circuits.nodes.map(({ id }) => id)]],
  );

describe('a list of access', () => {
  test('has the circuits that each identity dialed, and those that it hosts', async () => {
    const first = await circuit('ada', 'wiki', 'eve');
    const second = await circuit('ada', 'wiki', 'bob');
    const third = await circuit('bob', 'mail', 'eve');
    const { accesses } = await controller.read<{ accesses: { nodes: Answer[] } }>(LIST);
    expect(accesses.nodes).toHaveLength(PEOPLE.length * SERVICES.length * 2);
    expect(used(accesses.nodes)).toHaveLength(5);
    expect(used(accesses.nodes)).toEqual(
      expect.arrayContaining([
        ['ada', 'wiki', 'Dial', [first, second]],
        ['bob', 'mail', 'Dial', [third]],
        ['eve', 'wiki', 'Bind', [first]],
        ['bob', 'wiki', 'Bind', [second]],
        ['eve', 'mail', 'Bind', [third]],
      ]),
    );
  });

  test('reads them in one statement more, under two names as well', async () => {
    for (const client of PEOPLE) await circuit(client, 'wiki', 'eve');
    const without = '{ accesses(first: 50) { nodes { identityId } } }';
    await controller.forgetRows();
    const { statements: least } = await controller.graph(without);
    for (const fields of [CIRCUITS, `a: ${CIRCUITS} b: ${CIRCUITS}`]) {
      await controller.forgetRows();
      const { statements, messages } = await controller.graph(
        `{ accesses(first: 50) { nodes { identityId ${fields} } } }`,
      );
      expect([fields, messages, statements]).toEqual([fields, [], least + 1]);
    }
  });

  test('has thousands of them by pages', async () => {
    const many = Array.from({ length: 3_000 }, () => circuitOf('ada', 'wiki', 'eve'));
    await circuitsIn(controller.parts.store).put(many);
    const { accesses } = await controller.read<{ accesses: { nodes: Answer[] } }>(
      `query ($i: ID!, $s: ID!) { accesses(identityId: $i, serviceId: $s, type: Dial) {
        nodes { circuits(first: 2, offset: 2990) { totalCount nodes { id } } } } }`,
      { i: idOf('ada'), s: idOf('wiki') },
    );
    expect(accesses.nodes[0]?.circuits).toEqual({
      totalCount: 3_000,
      nodes: [{ id: many[2_990]?.id }, { id: many[2_991]?.id }],
    });
  });
});

test('two questions of one document share the statement', async () => {
  const id = await circuit('ada', 'wiki', 'eve');
  const ask = (fields: string) =>
    controller.graph(
      `query ($ada: ID!, $bob: ID!, $wiki: ID!) {
        ada: accesses(identityId: $ada, serviceId: $wiki, type: Dial) { nodes { identityId ${fields} } }
        bob: accesses(identityId: $bob, serviceId: $wiki, type: Dial) { nodes { identityId ${fields} } } }`,
      { ada: idOf('ada'), bob: idOf('bob'), wiki: idOf('wiki') },
    );
  await controller.forgetRows();
  const { statements: least } = await ask('');
  await controller.forgetRows();
  const { statements, data } = await ask('circuits { nodes { id } }');
  expect(statements).toBe(least + 1);
  expect(data).toMatchObject({
    ada: { nodes: [{ circuits: { nodes: [{ id }] } }] },
    bob: { nodes: [{ circuits: { nodes: [] } }] },
  });
});

test('the reasons of one access have its circuits, also those of the past', async () => {
  const id = await circuit('ada', 'wiki', 'eve');
  const variables = { ada: idOf('ada'), eve: idOf('eve'), wiki: idOf('wiki') };
  // The past reaches as far as no transaction, also of other test files, can get before it.
  await settledChange(controller);
  const at = new Date().toISOString();
  const { data, messages } = await controller.graph(
    `query ($ada: ID!, $eve: ID!, $wiki: ID!, $at: String) {
      dials: access(identityId: $ada, serviceId: $wiki, type: Dial) { ${CIRCUITS} }
      hosts: access(identityId: $eve, serviceId: $wiki, type: Bind) { ${CIRCUITS} }
      hostsNot: access(identityId: $ada, serviceId: $wiki, type: Bind) { ${CIRCUITS} }
      past: access(identityId: $ada, serviceId: $wiki, type: Dial, at: $at) { ${CIRCUITS} } }`,
    { ...variables, at },
  );
  const one = { circuits: { totalCount: 1, nodes: [{ id }] } };
  const none = { circuits: { totalCount: 0, nodes: [] } };
  expect(messages).toEqual([]);
  expect(data).toEqual({ dials: one, hosts: one, hostsNot: none, past: one });
});

test('a simulation shows the circuits of the access that would be lost', async () => {
  const id = await circuit('ada', 'wiki', 'eve');
  const { simulate } = await controller.read<{ simulate: { lost: { nodes: Answer[] } } }>(
    `query ($id: ID!) { simulate(changes: [{ operation: delete, type: servicePolicy, id: $id }]) {
      lost(first: 50) { nodes { identityName serviceName type ${CIRCUITS} } } } }`,
    { id: idOf('people dial') },
  );
  expect(used(simulate.lost.nodes)).toEqual([['ada', 'wiki', 'Dial', [id]]]);
});

describe('a caller', () => {
  const ask = (permissions: readonly string[]) =>
    controller.graph(LIST, {}, controller.ctx(callerOf(idOf('eve'), ...permissions)));

  test('who may not read circuits is refused them', async () => {
    const { data, errors } = await ask(READ);
    expect(new Set(errors.map((error) => error?.code))).toEqual(new Set(['UNAUTHORIZED']));
    expect(data).toEqual({ accesses: null });
  });

  test('who may read them gets them', async () => {
    const id = await circuit('ada', 'wiki', 'eve');
    const { data, errors } = await ask([...READ, 'ops.read']);
    expect(errors).toEqual([]);
    expect(JSON.stringify(data)).toContain(id);
  });
});

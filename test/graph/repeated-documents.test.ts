import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, type ExecutionResult } from 'graphql';
import type { Row } from '../../src/base/row.js';
import { InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';

/**
 * A document runs plainly the first time, and compiled when it comes again. Clients see no
 * difference, whatever they send and leave out.
 */

let controller: InProcess;
const { idOf, make, person, policy } = new NamedEntities(() => controller);

beforeAll(async () => {
  controller = await InProcess.start();
  await person('ada', 'staff');
  await make('Service', 'wiki', { encryptionRequired: true, roleAttributes: ['docs'] });
  await make('Service', 'vault', { encryptionRequired: true });
  await policy('staff', ['#staff'], ['#docs']);
});
afterAll(() => controller.stop());

const ada = (input: string): string =>
  `[{ operation: update, type: identity, id: "ADA", input: ${input} }]`;
const IF_MORE = 'query ($more: Boolean = true, $less: Boolean! = false)';

/** Documents, and the variables that a client may send with each; ADA and WIKI stand for ids. */
const DOCUMENTS: readonly (readonly [string, ...Row[]])[] = [
  [`${IF_MORE} { services { nodes { name @include(if: $more) id @skip(if: $less) } } }`],
  [
    `${IF_MORE} { services @skip(if: $more) { totalCount } ... @include(if: $less) { capabilities } }`,
  ],
  [
    `${IF_MORE} { services @include(if: $more) { ...F } services @skip(if: $more) { totalCount } } fragment F on ServiceConnection { nodes { name } }`,
    { more: false },
    { more: true, less: true },
  ],
  ['query ($n: Int) { services(first: $n) { nodes { name } } }', { n: null }, { n: 1 }, { n: -1 }],
  ['query ($n: Int = 1) { services(first: $n) { nodes { name } } }', { n: null }, { n: 2 }],
  ['query ($n: Int! = 30) { accessMap(maxNodes: $n) { identityCount } }', { n: null }, { n: 1 }],
  [
    'query ($type: AccessType) { identities { nodes { services(type: $type) { totalCount } } } }',
    { type: 'Dial' },
    { type: 'Bind' },
    { type: null },
    { type: 'dial' },
  ],
  [
    'query ($where: ServiceWhere) { services(where: $where) { nodes { name } } }',
    { where: { name: { contains: 'w' } } },
    { where: {} },
    { where: null },
    { where: { colour: { eq: 1 } } },
  ],
  [
    'query ($part: String) { services(where: { name: { contains: $part } }) { nodes { name } } }',
    { part: 'au' },
    { part: null },
  ],
  [
    'query ($way: SortDirection) { services(orderBy: [{ field: name, direction: $way }]) { nodes { name } } }',
    { way: 'desc' },
    { way: null },
  ],
  [
    'query ($order: [ServiceOrderBy!]) { services(orderBy: $order) { nodes { name } } }',
    { order: { field: 'name', direction: 'desc' } },
    { order: [] },
  ],
  [
    `query ($roles: [String!]) { simulate(changes: ${ada('{ roleAttributes: $roles }')}) { lost { totalCount } } }`,
    { roles: [] },
    { roles: ['staff'] },
    { roles: null },
  ],
  [
    `query ($input: JSON) { simulate(changes: ${ada('$input')}) { lost { totalCount } } }`,
    { input: { roleAttributes: [] } },
    { input: null },
  ],
  [
    'query ($services: JSON!) { simulateImport(document: { services: $services }) { faults } }',
    { services: [{ name: 'new' }] },
  ],
  [
    'query ($types: [String!], $type: String!) { a: search(text: "a", types: $types) { nodes { name } } b: search(text: "a", types: [$type]) { nodes { name } } }',
    { types: 'Service', type: 'Identity' },
    { types: null, type: 'Colour' },
    { types: [null], type: 'Service' },
  ],
  [
    'query ($id: ID!) { a: service(id: $id) { name } b: service(id: "x") { name } capabilities }',
    { id: 'WIKI' },
    { id: 5 },
    { id: null },
    { id: ['WIKI'] },
  ],
  [
    'query ($name: String) { services { nodes { a: permissions(asIdentity: $name) b: permissions config(configTypes: ["all"]) } } }',
    { name: 'ada' },
    { name: 'nobody' },
    { name: null },
  ],
  // Names that every object has from its prototype.
  [
    'query ($toString: Int, $valueOf: [String!], $constructor: ID = "x") { services(first: $toString, roleFilter: $valueOf) { totalCount } node(id: $constructor) { id } }',
    { toString: 1 },
    { toString: null, valueOf: [], constructor: 'y' },
  ],
  [
    '{ __proto__: services { toString: totalCount } constructor: identities { __proto__: nodes { __proto__: name valueOf: id } } }',
  ],
  [
    'query ($at: DateTime) { changes(where: { at: { gt: $at } }, first: 2) { nodes { type } } }',
    { at: '2020-01-01T00:00:00Z' },
    { at: 'yesterday' },
  ],
];

const withIds = (text: string): string =>
  text.replaceAll('ADA', idOf('ada')).replaceAll('WIKI', idOf('wiki'));

/** The data, and of each error its place and what the doors make of it. */
const shown = ({ data, errors = [] }: ExecutionResult): string =>
  JSON.stringify([
    data,
    errors.map(({ message, path, originalError }) => [message, path, originalError]),
  ]);

test.each(DOCUMENTS)('%s answers the same when it comes again', async (document, ...sent) => {
  for (const [i, variables] of [{}, ...sent].entries()) {
    // A comment makes it another text.
    const text = `${withIds(document)} # ${String(i)}`;
    const ask = async (): Promise<string> => {
      const values = JSON.parse(withIds(JSON.stringify(variables))) as Row;
      const { executor } = controller.parts;
      return shown(await executor.run(parse(text), text, controller.ctx(), values, undefined));
    };
    const first = await ask();
    expect([variables, await ask(), await ask()]).toStrictEqual([variables, first, first]);
  }
});

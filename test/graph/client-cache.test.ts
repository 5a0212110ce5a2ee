import { InMemoryCache } from '@apollo/client/cache';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  parse,
  print,
  type DocumentNode,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import type { Row } from '../../src/base/row.js';
import { InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';
import { settledChange } from '../support/settled-change.js';

/**
 * Clients keep answers in a cache that takes objects of one type with one `id` for one object. What
 * they read from it has to be what the controller answered, whatever else they asked before.
 */

let controller: InProcess;
const { idOf, make, policy } = new NamedEntities(() => controller);
const PEOPLE = ['ada', 'bob', 'cy', 'dan'];
const SERVICES = ['wiki', 'vault'];
const POINTS: string[] = [];

beforeAll(async () => {
  controller = await InProcess.start();
  await make('PostureCheck', 'home', {
    typeId: 'DOMAIN',
    domains: ['example.com'],
    roleAttributes: ['strict'],
  });
  await make('PostureCheck', 'idle', { typeId: 'DOMAIN', domains: ['example.com'] });
  for (const [name, attribute] of [
    ['ada', 'staff'],
    ['bob', 'staff'],
    ['cy', 'stafff'],
    ['dan', 'guest'],
  ]) {
    await make('Identity', String(name), {
      type: 'Default',
      isAdmin: false,
      roleAttributes: [attribute],
    });
  }
  await make('ConfigType', 'where', { schema: {} });
  for (const name of ['wiki of all', 'wiki of dan']) {
    await make('Config', name, { configTypeId: idOf('where'), data: { address: name } });
  }
  await make('Service', 'wiki', {
    encryptionRequired: true,
    roleAttributes: ['docs'],
    configs: [idOf('wiki of all')],
  });
  await make('Service', 'vault', { encryptionRequired: true, roleAttributes: ['secret'] });
  await controller.read(
    'mutation ($id: ID!, $configs: [ServiceConfigInput!]!) { associateServiceConfigs(id: $id, configs: $configs) }',
    {
      id: idOf('dan'),
      configs: [{ serviceId: idOf('wiki'), configId: idOf('wiki of dan') }],
    },
  );
  await policy('staff', ['#staff'], ['#docs'], { postureCheckRoles: ['#strict'] });
  await policy('guests', ['#guest'], ['#docs'], { type: 'Bind' });
  await policy('ghosts', ['#ghost'], ['#secret']);
  await policy('for dan', [`@${idOf('dan')}`], ['#secret', '#docs']);
  // A router with a tunneler is an identity with the same id, and has a policy of its own.
  await make('EdgeRouter', 'gate', { roleAttributes: ['public'], isTunnelerEnabled: true });
  await make('EdgeRouter', 'back', { roleAttributes: ['inner'] });
  for (const [name, identityRoles, edgeRouterRoles] of [
    ['public', ['#staff'], ['#public']],
    ['inner', ['#guest', `@${idOf('ada')}`], ['#inner', '#public']],
  ] as const) {
    await make('EdgeRouterPolicy', name, { semantic: 'AnyOf', identityRoles, edgeRouterRoles });
  }
  for (const [name, serviceRoles, edgeRouterRoles] of [
    ['docs', ['#docs'], ['#public']],
    ['secret', ['#secret'], ['#all']],
  ] as const) {
    await make('ServiceEdgeRouterPolicy', name, {
      semantic: 'AnyOf',
      serviceRoles,
      edgeRouterRoles,
    });
  }
  await make('AccessRule', 'staff reads', {
    kind: 'MUST_REACH',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    serviceRoles: ['#docs'],
  });
  for (const name of ['ada', 'bob']) await controller.openSession(idOf(name));
  POINTS.push(await settledChange(controller));
  for (const [type, name] of [
    ['ServicePolicy', 'guests'],
    ['EdgeRouterPolicy', 'inner'],
    ['ServiceEdgeRouterPolicy', 'docs'],
    ['EdgeRouter', 'back'],
    ['PostureCheck', 'home'],
    ['Service', 'vault'],
  ] as const) {
    await controller.read(
      `mutation ($id: ID!) { update${type}(id: $id, input: { name: "new ${name}" }) { id } }`,
      { id: idOf(name) },
    );
  }
  POINTS.push(await settledChange(controller));
  await controller.read('mutation ($id: ID!) { deleteServicePolicy(id: $id) }', {
    id: idOf('guests'),
  });
  POINTS.push(await settledChange(controller));
  const { findings } = await controller.read<{ findings: { nodes: { id: string }[] } }>(
    '{ findings(first: 1) { nodes { id } } }',
  );
  await controller.read(
    'mutation ($id: ID!) { muteFinding(id: $id, reason: "known") { id } }',
    findings.nodes[0],
  );
});
afterAll(() => controller.stop());

interface Asked {
  readonly text: string;
  readonly variables?: Row;
}

/**
 * All leaves of a type that need no arguments, and of the objects below it; a few of each list. Of
 * entities below the leaves alone: parts of an entity that are selected in two ways push each other
 * out of the cache.
 */
function selectionOf(type: GraphQLObjectType, depth: number): string {
  const fields = Object.values(type.getFields()).filter(
    ({ name, args }) => args.every(({ type: t }) => !isNonNullType(t)) && !VOLATILE.has(name),
  );
  return fields.map((field) => selected(field, depth)).join(' ');
}

/** Times that pass while the test runs. */
const VOLATILE = new Set([
  'expirationSeconds',
  'lastActivityAt',
  'cachedLastActivityAt',
  'expiresAt',
]);

const isEntity = (type: GraphQLObjectType): boolean =>
  type.getInterfaces().some(({ name }) => name === 'Node');

function selected({ name, type, args }: GraphQLField<unknown, unknown>, depth: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return name;
  if (!isObjectType(named) || depth === 0) return '';
  const node = named.name.endsWith('Connection') && named.getFields().nodes?.type;
  const below = node
    ? `nodes { ${belowOf(getNamedType(node) as GraphQLObjectType, depth - 1)} } totalCount`
    : belowOf(named, depth - 1);
  const few = args.some((argument) => argument.name === 'first') ? '(first: 5)' : '';
  return below.trim() === '' ? '' : `${name}${few} { ${below} }`;
}

const belowOf = (type: GraphQLObjectType, depth: number): string =>
  selectionOf(type, isEntity(type) ? 0 : depth);

const outputOf = (name: string): GraphQLObjectType =>
  controller.schema.getType(name) as GraphQLObjectType;

/** Every list of the graph that needs no arguments, two levels deep. */
const everyList = (): Asked[] =>
  Object.values(controller.schema.getQueryType()?.getFields() ?? {})
    .filter(
      ({ name, type, args }) =>
        getNamedType(type).name.endsWith('Connection') &&
        args.every((argument) => !isNonNullType(argument.type)) &&
        // The log grows with what is asked.
        name !== 'changes',
    )
    .map(({ name, type }) => {
      const node = (getNamedType(type) as GraphQLObjectType).getFields().nodes;
      const entity = getNamedType(node?.type) as GraphQLObjectType;
      return { text: `{ ${name}(first: 50) { nodes { ${selectionOf(entity, 3)} } totalCount } }` };
    });

const answersAboutAccess = (): Asked[] =>
  PEOPLE.flatMap((person) =>
    SERVICES.flatMap((service) =>
      ['Dial', 'Bind'].flatMap((type) =>
        [null, ...POINTS].map((at) => ({
          text: `query ($i: ID!, $s: ID!, $t: AccessType!, $at: String) {
            access(identityId: $i, serviceId: $s, type: $t, at: $at) { ${selectionOf(outputOf('Access'), 4)} } }`,
          variables: { i: idOf(person), s: idOf(service), t: type, at },
        })),
      ),
    ),
  );

const viewsOfServices = (): Asked[] =>
  [...PEOPLE, 'gate'].map((person) => ({
    text: `query ($id: String) { services { nodes {
      id name permissions(asIdentity: $id) config(asIdentity: $id, configTypes: ["all"])
      postureQueries(asIdentity: $id) { policyId policyType isPassing
        postureQueries { ${selectionOf(outputOf('PostureQuery'), 1)} } } } } }`,
    variables: { id: idOf(person) },
  }));

const listsOfPairs = (): Asked[] =>
  [null, ...POINTS].flatMap((at) => [
    {
      text: `query ($at: String) { accesses(at: $at, first: 100) { totalCount nodes { ${selectionOf(outputOf('AccessGrant'), 2)} } } }`,
      variables: { at },
    },
    ...[false, true].map((includeMuted) => ({
      text: `query ($at: String, $includeMuted: Boolean) {
        findings(at: $at, includeMuted: $includeMuted, first: 100) { totalCount nodes { ${finding()} } } }`,
      variables: { at, includeMuted },
    })),
  ]);

const finding = (): string =>
  `${selectionOf(outputOf('Finding'), 2)} entities { ${ENTITY} } changes { ${ENTITY} }`;

const ENTITY = `entity { nodeId ${['Identity', 'Service', 'ServicePolicy', 'EdgeRouterPolicy']
  .map((type) => `... on ${type} { id name }`)
  .join(' ')} }`;

const whatIf = (): Asked[] =>
  [[], ...PEOPLE.map((person) => [change(person)])].map((changes) => ({
    text: `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) { ${selectionOf(outputOf('Simulation'), 3)} } }`,
    variables: { changes },
  }));

const change = (person: string): Row => ({
  operation: 'update',
  type: 'identity',
  id: idOf(person),
  input: { name: `renamed ${person}`, roleAttributes: ['ghost', 'guest'] },
});

const differences = (): Asked[] =>
  POINTS.map((from) => ({
    text: `query ($from: String!) { accessDiff(from: $from) { ${selectionOf(outputOf('Simulation'), 3)} } }`,
    variables: { from },
  }));

const maps = (): Row[] => [
  ...[null, ...POINTS].map((at) => ({ at })),
  ...PEOPLE.map((person) => ({ changes: [change(person)] })),
  { type: 'Bind' },
];

const mapsOfAccess = (): Asked[] =>
  maps().map((variables) => ({
    text: `query ($at: String, $changes: [ModelChangeInput!], $type: AccessType) {
      accessMap(at: $at, changes: $changes, type: $type) { ${selectionOf(outputOf('AccessMap'), 3)} } }`,
    variables,
  }));

const searches = (): Asked[] =>
  ['staff', 'DOCS', 'secret', 'e'].map((text) => ({
    text: `query ($text: String!) { search(text: $text, first: 100) { totalCount nodes {
      ${selectionOf(outputOf('SearchHit'), 1)} ${ENTITY.replace('entity', 'node')} } } }`,
    variables: { text },
  }));

const ALL: readonly (readonly [string, () => Asked[]])[] = [
  ['every list', everyList],
  ['why somebody reaches a service', answersAboutAccess],
  ['services as identities see them', viewsOfServices],
  ['pairs and findings, now and before', listsOfPairs],
  ['simulations', whatIf],
  ['differences', differences],
  ['maps', mapsOfAccess],
  ['searches', searches],
];

describe('answers read from the cache of a client', () => {
  test('are those of the controller, whatever was asked before and after', async () => {
    const cache = new InMemoryCache({ possibleTypes: possibleTypes() });
    const answers: { what: string; query: DocumentNode; variables: Row; data: Row }[] = [];
    for (const [what, askedOf] of ALL) {
      for (const { text, variables = {} } of askedOf()) {
        const query = cache.transformDocument(parse(text));
        const data = await controller.read<Row>(print(query), variables);
        cache.writeQuery({ query, variables, data });
        answers.push({ what, query, variables, data });
      }
    }
    expect(answers.length).toBeGreaterThan(100);
    for (const { what, query, variables, data } of answers) {
      const read = cache.diff<Row>({
        query,
        variables,
        optimistic: false,
        returnPartialData: true,
      });
      // What another answer has pushed out is asked for again; what is there has to be right.
      if (read.complete)
        expect([what, variables, read.result]).toStrictEqual([what, variables, data]);
    }
    const missing = answers.filter(
      ({ query, variables }) =>
        !cache.diff({ query, variables, optimistic: false, returnPartialData: true }).complete,
    );
    expect(missing.map(({ what, variables }) => [what, variables])).toStrictEqual([]);
  });
});

const possibleTypes = (): Record<string, string[]> => ({
  Node: Object.values(controller.schema.getTypeMap())
    .filter(isObjectType)
    .filter(isEntity)
    .map(({ name }) => name),
});

/** Objects with an `id` that are no entities of the catalog, and why each says one thing of its id. */
const SAME_EVERYWHERE: Readonly<Record<string, string>> = {
  AuthorityName: 'its name',
  ConfigName: 'its name',
  EndedSession: 'what a session is of, which never changes',
  Finding: 'the fact as it is now; of the past and in simulations the id is null',
  IdentityCaEnrollment: 'an enrollment, as it is',
  IdentityCertAuthenticator: 'an authenticator, as it is',
  IdentityEnrollment: 'an enrollment, as it is',
  IdentityUpdbAuthenticator: 'an authenticator, as it is',
  IssuedDirectoryToken: 'a token, which is shown once',
  Mfa: 'the second factor of the caller, as it is',
  NewSessionCertificate: 'a certificate, which never changes',
  PathRouter: 'its name',
  ServiceName: 'its name',
  SessionPolicy: 'its name',
  Spec: 'a document of this release',
};

test('an object with an id is an entity, or says the same of its id everywhere', () => {
  const types = Object.values(controller.schema.getTypeMap()).filter(isObjectType);
  const others = types
    .filter((type) => type.getFields().id && !type.name.startsWith('__'))
    .filter((type) => !isEntity(type))
    .map(({ name }) => name);
  expect(others.sort()).toStrictEqual(Object.keys(SAME_EVERYWHERE).sort());
});

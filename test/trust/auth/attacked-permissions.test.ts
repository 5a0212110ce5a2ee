import { beforeAll, describe, expect, test } from '@jest/globals';
import { getOperationAST, getVariableValues, parse, validate, type GraphQLSchema } from 'graphql';
import type { Row } from '../../../src/base/row.js';
import { grantableIn } from '../../../src/kernel/declare/grantable.js';
import { may } from '../../../src/kernel/declare/permissions.js';
import { catalog } from '../../../src/resources/index.js';
import { graphOnce } from '../../support/graph.js';
import {
  needsOf,
  operationsIn,
  unattackedPermissions,
  type Needs,
} from './attacked-permissions.js';
import { newOwnKeys } from './intruder.js';
import { readingOf } from './reach-readings.js';
import { stopEverything, tryEverything } from './reach-attempts.js';
import type { AttackedWorld } from './reach-attempt.js';

/** A permission whose operations no attempt of the intruder asks for is one whose effects are unknown. */

const grantable = grantableIn(catalog);
let needs: Needs;
let attempted: ReadonlySet<string>;
let faults: readonly string[];

beforeAll(async () => {
  const { schema } = await graphOnce();
  needs = needsOf(schema);
  ({ operations: attempted, faults } = await attempts(schema));
});

/** The requests of the intruder, in a world that grants everything. */
async function attempts(schema: GraphQLSchema) {
  const operations = new Set<string>();
  const faults: string[] = [];
  const made = { id: 'made', verificationToken: 'token' };
  const world: AttackedWorld = {
    name: 'world',
    newcomer: 'newcomer',
    keys: await newOwnKeys('world'),
    ids: new Proxy({} as AttackedWorld['ids'], { get: (_, kind) => String(kind) }),
    intruder: {
      ask(document: string, variables: Row = {}) {
        faults.push(...faultsOf(schema, document, variables));
        const names = operationsIn(document);
        for (const name of names) operations.add(name);
        return Promise.resolve(Object.fromEntries(names.map((name) => [name, made])));
      },
    },
  };
  for (const entity of grantable.keys()) {
    await world.intruder.ask(readingOf(schema, entity, world.ids));
  }
  await tryEverything(world);
  await stopEverything(world);
  return { operations, faults };
}

/** An attempt with a wrong shape is refused for its shape, so it shows nothing. */
function faultsOf(schema: GraphQLSchema, text: string, variables: Row): string[] {
  const document = parse(text);
  const definitions = getOperationAST(document)?.variableDefinitions ?? [];
  // JSON has no undefined members.
  const sent = JSON.parse(JSON.stringify(variables)) as Row;
  const { errors = [] } = getVariableValues(schema, definitions, sent);
  return [...validate(schema, document), ...errors].map((error) => `${error.message}: ${text}`);
}

test('every permission is attacked', () => {
  expect(unattackedPermissions(grantable, needs, attempted)).toStrictEqual([]);
});

test('every attempt has the shape that its operation asks for', () => {
  expect(faults).toStrictEqual([]);
});

describe('a permission that is declared', () => {
  const declared = new Map([...grantable, ['berth', ['read', 'create'] as const]]);
  const needed = (): Needs =>
    new Map([...needs, ['berths', may('berth', 'read')], ['createBerth', may('berth', 'create')]]);

  test('is refused without an attempt', () => {
    expect(unattackedPermissions(declared, needed(), attempted)).toStrictEqual([
      'berth.read',
      'berth.create',
    ]);
  });

  test('is refused for each action without an attempt', () => {
    expect(unattackedPermissions(declared, needed(), [...attempted, 'berths'])).toStrictEqual([
      'berth.create',
    ]);
  });

  test('is accepted with an attempt of each action', () => {
    const all = [...attempted, 'berths', 'createBerth'];
    expect(unattackedPermissions(declared, needed(), all)).toStrictEqual([]);
  });
});

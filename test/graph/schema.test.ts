import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  getIntrospectionQuery,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  validateSchema,
  type GraphQLNamedType,
} from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { faultsOfRows, restRows } from '../../rest-compat/index.js';
import { buildGraph, operations } from '../../src/graph/index.js';
import { catalog } from '../../src/resources/index.js';
import { InProcess } from '../support/in-process.js';

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

interface Described {
  readonly description?: string | null | undefined;
}

/** Everything of a type that a reader of the schema can look up. */
function parts(type: GraphQLNamedType): [string, Described][] {
  const found: [string, Described][] = [[type.name, type]];
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      found.push([`${type.name}.${field.name}`, field]);
      for (const arg of field.args) found.push([`${type.name}.${field.name}(${arg.name})`, arg]);
    }
  } else if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      found.push([`${type.name}.${field.name}`, field]);
    }
  } else if (isEnumType(type)) {
    for (const value of type.getValues()) found.push([`${type.name}.${value.name}`, value]);
  }
  return found;
}

describe('the schema', () => {
  test('describes every type, field, argument, input member and enum value', () => {
    const bare = Object.values(controller.schema.getTypeMap())
      .filter((type) => !type.name.startsWith('__'))
      .flatMap(parts)
      .filter(([, part]) => (part.description ?? '').trim() === '')
      .map(([name]) => name);
    expect(bare).toStrictEqual([]);
  });

  test('has for each resource its list, its single read and the mutations of its verbs', () => {
    const queries = controller.schema.getQueryType()?.getFields() ?? {};
    const mutations = controller.schema.getMutationType()?.getFields() ?? {};
    for (const resource of controller.catalog.all()) {
      expect(queries[resource.list]?.type.toString()).toBe(`${resource.name}Connection`);
      expect(queries[resource.single]?.type.toString()).toBe(resource.name);
      for (const verb of ['create', 'replace', 'update', 'delete'] as const) {
        expect([`${verb}${resource.name}`, `${verb}${resource.name}` in mutations]).toStrictEqual([
          `${verb}${resource.name}`,
          resource.verbs.has(verb),
        ]);
      }
    }
  });

  test('takes the same arguments on every list of a resource', () => {
    const common = ['after', 'before', 'filter', 'first', 'last', 'offset', 'orderBy', 'where'];
    const resources = new Set([...controller.catalog.all()].map(({ name }) => `${name}Connection`));
    const lists = Object.values(controller.schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) => Object.values(type.getFields()))
      .filter((field) => resources.has(getNullableType(field.type).toString()));
    expect(lists.length).toBeGreaterThan(40);
    for (const { name, args } of lists) {
      expect([name, args.map((a) => a.name)]).toStrictEqual([name, expect.arrayContaining(common)]);
    }
  });

  test('is valid, and has what every operation of the REST interfaces asks', () => {
    expect(validateSchema(controller.schema)).toStrictEqual([]);
    const rows = restRows(controller.catalog, controller.schema);
    expect(faultsOfRows(rows, controller.schema)).toStrictEqual([]);
    const [row] = rows;
    const wrong = row ? [{ ...row, document: '{ nothing }' }] : [];
    expect(faultsOfRows(wrong, controller.schema)).toStrictEqual([
      `${String(row?.method)} ${String(row?.path)} asks what the graph has not: Cannot query field "nothing" on type "Query".`,
    ]);
  });

  test('is one for all controllers of a process, whose declarations do not add up', async () => {
    const { resolverClasses } = getMetadataStorage();
    const count = resolverClasses.length;
    await expect(buildGraph(catalog, operations)).resolves.toBe(controller.schema);
    expect(resolverClasses).toHaveLength(count);
  });

  test('answers introspection without a session', async () => {
    const { data, errors } = await controller.graph(
      getIntrospectionQuery(),
      {},
      controller.anonymous(),
    );
    expect(errors).toStrictEqual([]);
    expect(JSON.stringify(data)).toContain('"ServicePolicyConnection"');
  });
});

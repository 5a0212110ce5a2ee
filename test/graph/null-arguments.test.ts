import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isNonNullType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql';
import type { RequestContext } from '../../src/kernel/request/context.js';
import { ADMIN, InProcess } from '../support/in-process.js';

/**
 * Clients send null for what they do not set, as a literal or by a variable. No field may fail
 * unexpectedly for that, wherever null is allowed.
 */

/** Entities below the roots, and what they are joined with. */
const DEPTH = 2;

let controller: InProcess;
let ids: Readonly<Record<string, string>>;
let ctx: () => RequestContext;

beforeAll(async () => {
  controller = await InProcess.start();
  const admin = { ...ADMIN, identityId: await controller.defaultAdminId() };
  ctx = () => controller.ctx(admin);
  const create = (kind: string, input: object) => controller.create(kind, { name: kind, ...input });
  const roles = { semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] };
  ids = {
    router: await create('EdgeRouter', {}),
    service: await create('Service', { encryptionRequired: true }),
    identity: await create('Identity', { type: 'Default', isAdmin: false }),
    policy: await create('ServicePolicy', { ...roles, type: 'Dial' }),
  };
});
afterAll(() => controller.stop());

/** A value that has to be there; what may be null is null. */
function valueOf(name: string, type: GraphQLInputType): unknown {
  if (!isNonNullType(type)) return null;
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [];
  if (isEnumType(nullable)) return nullable.getValues()[0]?.value as unknown;
  if (isInputObjectType(nullable)) {
    return Object.fromEntries(
      Object.values(nullable.getFields()).map((field) => [
        field.name,
        valueOf(field.name, field.type),
      ]),
    );
  }
  switch (String(nullable)) {
    case 'Boolean':
      return true;
    case 'Int':
    case 'Float':
      return 25;
    case 'DateTime':
      return new Date(0).toISOString();
    case 'JSON':
      return {};
    default:
      return Object.entries(ids).find(([kind]) => name.toLowerCase().startsWith(kind))?.[1] ?? 'x';
  }
}

interface Call {
  /** The field with its arguments, each a variable. */
  readonly text: string;
  /** The same without those that are null. */
  readonly plain: string;
  readonly declared: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
}

let calls = 0;

function call({ name, args }: GraphQLField<unknown, unknown>, id?: string): Call {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const [given, needed]: [string[], string[]] = [[], []];
  for (const argument of args) {
    calls += 1;
    const variable = `v${String(calls)}`;
    const text = `${argument.name}: $${variable}`;
    const value = argument.name === 'id' ? id : undefined;
    variables[variable] = value ?? valueOf(argument.name, argument.type);
    declared.push(`$${variable}: ${String(argument.type)}`);
    given.push(text);
    if (isNonNullType(argument.type)) needed.push(text);
  }
  const withArguments = (some: readonly string[]): string =>
    some.length > 0 ? `${name}(${some.join(', ')})` : name;
  return { text: withArguments(given), plain: withArguments(needed), declared, variables };
}

const within = (outer: Call, inner: Call): Call => ({
  text: `${outer.text} { ${inner.text} }`,
  plain: `${outer.plain} { ${inner.plain} }`,
  declared: [...outer.declared, ...inner.declared],
  variables: { ...outer.variables, ...inner.variables },
});

/** A field with what shows a difference: the number of its entries. */
function withCount(own: Call, type: GraphQLNamedType): Call {
  if (isLeafType(type)) return own;
  const leaf = isObjectType(type) && type.getFields().totalCount ? 'totalCount' : '__typename';
  return within(own, { text: leaf, plain: leaf, declared: [], variables: {} });
}

/** Fields below a type that take arguments, each with those on the way to it. */
function* below(type: GraphQLObjectType, depth: number): Generator<Call> {
  for (const field of Object.values(type.getFields())) {
    if (field.name === 'edges') continue;
    const named = getNamedType(field.type);
    const own = call(field);
    if (field.args.length > 0) yield withCount(own, named);
    // The nodes of a connection are no step of their own.
    const rest = field.name === 'nodes' ? depth : depth - 1;
    if (!isObjectType(named) || rest <= 0) continue;
    for (const inner of below(named, rest)) yield within(own, inner);
  }
}

function* callsOf(root: GraphQLField<unknown, unknown>, depth: number): Generator<Call> {
  const named = getNamedType(root.type);
  const hasId = root.args.some((argument) => argument.name === 'id');
  for (const id of hasId && depth > 0 ? Object.values(ids) : [undefined]) {
    const own = call(root, id);
    yield withCount(own, named);
    if (!isObjectType(named)) continue;
    for (const inner of below(named, depth)) yield within(own, inner);
  }
}

const fieldsOf = (root: GraphQLObjectType | null | undefined): GraphQLField<unknown, unknown>[] =>
  Object.values(root?.getFields() ?? {});

/** The data, or the codes of the errors; one that is unexpected throws. */
async function answerTo(operation: string, text: string, { declared, variables }: Call) {
  const names = new Set<string | undefined>(text.match(/\$\w+/g));
  const used = declared.filter((one) => names.has(one.split(':')[0]));
  const head = used.length > 0 ? `(${used.join(', ')})` : '';
  const { data, errors, messages } = await controller.graph(
    `${operation} ${head} { ${text} }`,
    variables,
    ctx(),
  );
  const at = errors.indexOf(undefined);
  if (at >= 0) throw new Error(`${text}: ${String(messages[at])}`);
  return errors.length > 0 ? errors.map((error) => error?.code) : data;
}

describe('null where nothing has to be', () => {
  test('is for each read as if nothing were sent', async () => {
    const [withNull, without]: [unknown[], unknown[]] = [[], []];
    for (const field of fieldsOf(controller.schema.getQueryType())) {
      for (const one of callsOf(field, DEPTH)) {
        withNull.push([one.plain, await answerTo('query', one.text, one)]);
        without.push([one.plain, await answerTo('query', one.plain, one)]);
      }
    }
    expect(withNull).toStrictEqual(without);
    expect(withNull.length).toBeGreaterThan(1_000);
  });

  test('is no fault of any write', async () => {
    for (const field of fieldsOf(controller.schema.getMutationType())) {
      for (const one of callsOf(field, 0)) await answerTo('mutation', one.text, one);
    }
  });
});

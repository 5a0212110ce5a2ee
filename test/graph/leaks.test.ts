import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  getNamedType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import type { Caller, RequestContext } from '../../src/kernel/request/context.js';
import type { Row } from '../../src/base/row.js';
import { callerOf, InProcess } from '../support/in-process.js';

/**
 * Somebody without permissions walks the whole schema, from every root field, through every nested
 * edge: what comes back is its own, what it may use, or open to everybody.
 */

const DEPTH = 3;

let controller: InProcess;
let own: () => RequestContext;
/** Texts that belong to others and may turn up nowhere. */
const foreign = new Map<string, string>();
let ids: string[];

beforeAll(async () => {
  controller = await InProcess.start();
  const mine = await network('mine');
  const theirs = await network('theirs');
  ids = Object.values(theirs);
  for (const [kind, id] of Object.entries(theirs)) foreign.set(id, kind);
  // What lets me in, and is no business of mine; ids of my configs and policies come with services.
  for (const kind of ['routerPolicy', 'serviceRouterPolicy'] as const) {
    foreign.set(mine[kind], `own ${kind}`);
  }
  const caller: Caller = { ...callerOf(mine.identity), apiSessionId: mine.apiSession };
  own = () => controller.ctx(caller);
});
afterAll(() => controller.stop());

async function network(name: string) {
  const create = (kind: string, input: Row) => controller.create(kind, { name, ...input });
  const configType = await create('ConfigType', {});
  const config = await create('Config', { configTypeId: configType, data: { secret: name } });
  const check = await create('PostureCheck', { typeId: 'DOMAIN', domains: ['example.com'] });
  const router = await create('EdgeRouter', { roleAttributes: [name] });
  const service = await create('Service', {
    encryptionRequired: true,
    roleAttributes: [name],
    configs: [config],
  });
  const identity = await create('Identity', {
    type: 'Default',
    isAdmin: false,
    roleAttributes: [name],
    enrollment: { ott: true },
  });
  const roles = { semantic: 'AnyOf', identityRoles: [`#${name}`] };
  const policy = await create('ServicePolicy', {
    ...roles,
    type: 'Dial',
    serviceRoles: [`#${name}`],
  });
  const routerPolicy = await create('EdgeRouterPolicy', {
    ...roles,
    edgeRouterRoles: [`#${name}`],
  });
  const serviceRouterPolicy = await create('ServiceEdgeRouterPolicy', {
    semantic: 'AnyOf',
    serviceRoles: [`#${name}`],
    edgeRouterRoles: [`#${name}`],
  });
  const { id: apiSession } = await controller.openSession(identity);
  const ctx = controller.ctx({ ...callerOf(identity), apiSessionId: apiSession });
  const { openSession } = await controller.read<{ openSession: { id: string } }>(
    'mutation ($id: ID!) { openSession(input: { serviceId: $id }) { id } }',
    { id: service },
    ctx,
  );
  return {
    configType,
    config,
    check,
    router,
    service,
    identity,
    policy,
    routerPolicy,
    serviceRouterPolicy,
    apiSession,
    session: openSession.id,
  };
}

/** A value for an argument that has to be there; undefined when nothing simple will do. */
function argumentFor({ type, name }: GraphQLArgument, id: string): string | undefined {
  if (!isNonNullType(type)) return undefined;
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[0]?.name;
  if (named.name === 'ID' || named.name === 'String') return JSON.stringify(id);
  if (named.name === 'Boolean') return 'true';
  if (isListType(type.ofType)) return '[]';
  if (named.name === 'DateTime') return JSON.stringify(new Date().toISOString());
  if (named.name === 'JSON') return '{}';
  throw new Error(`say what to send for ${name}`);
}

function call(field: GraphQLField<unknown, unknown>, id: string): string | undefined {
  const sent: string[] = [];
  for (const argument of field.args) {
    const needed = isNonNullType(argument.type) && argument.defaultValue === undefined;
    const value = needed ? argumentFor(argument, id) : undefined;
    if (value !== undefined) sent.push(`${argument.name}: ${value}`);
  }
  return sent.length > 0 ? `${field.name}(${sent.join(', ')})` : field.name;
}

/** Documents, one per edge, so that what is refused hides nothing else. */
function* walks(type: GraphQLObjectType, id: string, depth: number): Generator<string> {
  const leaves = Object.values(type.getFields())
    .filter(({ type: of, args }) => isLeafType(getNamedType(of)) && args.length === 0)
    .map(({ name }) => name);
  if (leaves.length > 0) yield leaves.join(' ');
  if (depth === 0) return;
  for (const field of Object.values(type.getFields())) {
    const named = getNamedType(field.type);
    if (!isObjectType(named) || /^(edges|pageInfo|pagination)$/.test(field.name)) continue;
    // The nodes of a connection are no step of their own.
    const below = isConnection(named) ? depth : depth - 1;
    for (const inner of walks(named, id, below)) yield `${String(call(field, id))} { ${inner} }`;
  }
}

const isConnection = (type: GraphQLObjectType): boolean => {
  const nodes = type.getFields().nodes?.type;
  return nodes !== undefined && (isListType(nodes) || isNonNullType(nodes));
};

/** `node` gives the same entities as their own fields. */
const roots = (): GraphQLField<unknown, unknown>[] =>
  Object.values(controller.schema.getQueryType()?.getFields() ?? {}).filter(
    ({ name }) => name !== 'node',
  );

async function found(document: string): Promise<string[]> {
  const { data } = await controller.graph(document, {}, own());
  const text = JSON.stringify(data ?? {});
  return [...foreign].filter(([id]) => text.includes(id)).map(([, kind]) => kind);
}

describe('somebody without permissions', () => {
  test('finds nothing that is of others, however deep', async () => {
    const leaks: string[] = [];
    let walked = 0;
    for (const root of roots()) {
      const named = getNamedType(root.type);
      const isById = root.args.some(({ type }) => isNonNullType(type));
      for (const id of isById ? ids : ['']) {
        // An entity of others is not there at all, so that nothing hangs on it.
        const depth = isById ? 1 : DEPTH - 1;
        const inner = isObjectType(named) ? [...walks(named, id, depth)] : [''];
        for (const selection of inner) {
          const document = `{ ${String(call(root, id))} ${selection && `{ ${selection} }`} }`;
          const kinds = await found(document);
          walked += 1;
          // Who asks with an id of others gets at most that id back.
          const more = kinds.filter((kind) => kind !== foreign.get(id));
          if (more.length > 0) leaks.push(`${more.join()} by ${document}`);
        }
      }
    }
    expect(leaks).toStrictEqual([]);
    expect(walked).toBeGreaterThan(1_000);
  });
});

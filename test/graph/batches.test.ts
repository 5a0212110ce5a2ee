import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc, { type GeneratorValue } from 'fast-check';
import {
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  parse,
  validate,
  type ExecutionResult,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import type { Caller } from '../../src/kernel/request/context.js';
import type { Row } from '../../src/base/row.js';
import { TestClock } from '../trust/auth/in-process-logins.js';
import { callerOf, InProcess } from '../support/in-process.js';
import { costlyRuns } from '../support/runs.js';

/**
 * Fields of one document are read in batches. What a field answers must not depend on the fields
 * beside it: neither on their rights nor on their columns.
 */

let controller: InProcess;
let ids: string[];
let others: Readonly<Record<string, string>>;
let callers: Caller[];

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: new TestClock().now });
  const own = await network('own');
  others = await network('others', { isAdmin: true });
  ids = [...Object.values(own), ...Object.values(others)];
  const rights = [
    [],
    ['identity.read'],
    ['service.read', 'router.read'],
    ['ops.read'],
    ['enrollment.read', 'config.read'],
    ['admin_readonly'],
  ];
  callers = rights.map((permissions) => ({
    ...callerOf(own.identity, ...permissions),
    apiSessionId: own.apiSession,
  }));
  callers.push({ ...callerOf(own.identity), apiSessionId: own.apiSession, isAdmin: true });
});
afterAll(() => controller.stop());

async function network(name: string, identityInput: Row = {}) {
  const create = (kind: string, input: Row) => controller.create(kind, { name, ...input });
  const configType = await create('ConfigType', {});
  const config = await create('Config', { configTypeId: configType, data: {} });
  const router = await create('EdgeRouter', { roleAttributes: [name] });
  const service = await create('Service', { encryptionRequired: true, configs: [config] });
  const identity = await create('Identity', {
    type: 'Default',
    isAdmin: false,
    enrollment: { updb: `${name}-user` },
    ...identityInput,
  });
  await create('Authenticator', {
    identityId: identity,
    method: 'updb',
    username: `${name}-login`,
    password: 'battery staple',
  });
  const policy = await create('ServicePolicy', {
    semantic: 'AnyOf',
    type: 'Dial',
    identityRoles: [`@${identity}`],
    serviceRoles: [`@${service}`],
  });
  const { id: apiSession } = await controller.openSession(identity);
  return { identity, apiSession, service, policy, router, config };
}

const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields());

/** Root fields that show entities, asked by nothing or by an id alone. */
function rootFields(): Field[] {
  const query = controller.schema.getQueryType();
  return fieldsOf(query as GraphQLObjectType).filter(
    ({ type, args, extensions }) =>
      extensions.permission !== undefined &&
      isObjectType(getNamedType(type)) &&
      args.every((a) => !isNonNullType(a.type) || a.name === 'id'),
  );
}

type Field = GraphQLField<unknown, unknown>;

const oneOf = <T>(g: GeneratorValue, values: readonly T[]): T =>
  values[g(fc.nat, values.length - 1)] as T;

/** By name: the generator compares what it is given, and types lead back to themselves. */
function someOf(g: GeneratorValue, fields: readonly Field[], most: number): Field[] {
  const names = g(
    fc.subarray,
    fields.map(({ name }) => name),
    { maxLength: Math.min(most, fields.length) },
  );
  return fields.filter(({ name }) => names.includes(name));
}

const isLeaf = ({ type, args }: Field): boolean =>
  isLeafType(getNamedType(type)) && args.length === 0;

/** Some leaves, and sometimes what lies below. */
function selectionOf(type: GraphQLObjectType, g: GeneratorValue, depth: number): string {
  const connection = type.getFields().nodes;
  if (connection) {
    return `{ totalCount nodes ${selectionOf(getNamedType(connection.type) as GraphQLObjectType, g, depth)} }`;
  }
  const leaves = fieldsOf(type).filter(isLeaf);
  const chosen = someOf(g, leaves, 4).map(({ name }) => name);
  const inner = fieldsOf(type).filter(
    ({ type: below, args }) =>
      isObjectType(getNamedType(below)) && args.every((a) => !isNonNullType(a.type)),
  );
  const below =
    depth > 0
      ? someOf(g, inner, 2).map(
          (field) =>
            `${field.name} ${selectionOf(getNamedType(field.type) as GraphQLObjectType, g, depth - 1)}`,
        )
      : [];
  return `{ ${['__typename', ...chosen, ...below].join(' ')} }`;
}

const shownBy = (field: Field) => getNamedType(field.type) as GraphQLObjectType;

/** A few fields of one document. Most show one kind of entity in the same way, so that they share batches. */
function someFields(g: GeneratorValue): string[] {
  const roots = rootFields();
  const alike = (field: Field): Field[] => roots.filter((r) => shownBy(r) === shownBy(field));
  const inSeveralWays = roots.filter((field) => alike(field).length > 1);
  const focus = oneOf(g, g(fc.nat, 4) > 0 ? inSeveralWays : roots);
  const selection = selectionOf(shownBy(focus), g, 1);
  return Array.from({ length: g(fc.integer, { min: 2, max: 5 }) }, () => {
    const root = oneOf(g, g(fc.nat, 4) > 0 ? alike(focus) : roots);
    const isSame = shownBy(root) === shownBy(focus) && g(fc.nat, 4) > 0;
    const below = isSame ? selection : selectionOf(shownBy(root), g, 1);
    const byId = root.args.some((a) => isNonNullType(a.type));
    return `${root.name}${byId ? `(id: "${oneOf(g, ids)}")` : ''} ${below}`;
  });
}

interface Answer {
  readonly data: unknown;
  /** Places below the field, with their codes. */
  readonly errors: readonly string[];
}

async function ask(
  fields: readonly string[],
  caller: Caller,
): Promise<{ answers: Answer[]; isNull: boolean }> {
  const text = `{ ${fields.map((field, i) => `f${String(i)}: ${field}`).join(' ')} }`;
  const document = parse(text);
  const [fault] = validate(controller.schema, document);
  if (fault) throw new Error(`${fault.message}: ${text}`);
  const run = (): Promise<ExecutionResult> =>
    controller.parts.executor.run(document, text, controller.ctx(caller), {}, undefined);
  const { data, errors = [] } = await run();
  const answers = fields.map((_, i) => ({
    data: JSON.parse(JSON.stringify(data?.[`f${String(i)}`] ?? null)) as unknown,
    errors: errors
      .filter(({ path }) => path?.[0] === `f${String(i)}`)
      .map(({ path, originalError }) => {
        const { code } = originalError as unknown as { code?: string };
        return `${(path ?? []).slice(1).join('.')} ${code ?? String(originalError?.stack)}`;
      })
      .sort(),
  }));
  return { answers, isNull: data === null || data === undefined };
}

describe('fields of one document', () => {
  test('answer as each does alone, for any caller', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.nat(), async (g, who) => {
        const caller = callers[who % callers.length] as Caller;
        const fields = someFields(g);
        const alone: Answer[] = [];
        const shown: string[] = [];
        for (const field of fields) {
          const { answers, isNull } = await ask([field], caller);
          // A fault in a list that can not be null takes the whole document with it.
          if (isNull || !answers[0]) continue;
          alone.push(answers[0]);
          shown.push(field);
        }
        if (shown.length === 0) return;
        const together = await ask(shown, caller);
        expect(together.answers).toStrictEqual(alone);
        compared += shown.length;
      }),
      { ...costlyRuns(50), seed: 20_261_122 },
    );
    expect(compared).toBeGreaterThan(150);
  });

  test.each([
    [
      'an API session',
      '{ currentApiSession { id identityId } apiSession(id: "$apiSession") { id identityId } }',
      'apiSession',
    ],
    [
      'an identity',
      '{ currentIdentity { id name } identity(id: "$identity") { id name } }',
      'identity',
    ],
    [
      'an identity under another name',
      '{ currentIdentity { name } a: identities { nodes { name } } identity(id: "$identity") { name } }',
      'identity',
    ],
  ])('show %s of others to nobody beside an own one', async (_, document, field) => {
    const text = document.replace(/\$(\w+)/, (__, kind: string) => String(others[kind]));
    const [caller] = callers;
    const { data, errors } = await controller.graph(text, {}, controller.ctx(caller));
    expect(data?.[field]).toBeNull();
    expect(errors.map((error) => error?.code)).toStrictEqual(['NOT_FOUND']);
  });

  test('have their own computed members, also where their columns are the same', async () => {
    const { data } = await controller.graph(
      '{ a: identity(id: "$id") { disabledAt disabledUntil } b: identity(id: "$id") { disabledAt disabledUntil disabled } }'.replaceAll(
        '$id',
        String(others.identity),
      ),
    );
    expect(data?.b).toMatchObject({ disabled: false });
  });
});

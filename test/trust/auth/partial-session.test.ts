import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from 'graphql';
import { BASE_PATHS } from '../../../src/base/interface-paths.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import { startController, type Envelope, type TestController } from '../../support/controller.js';
import { InProcess } from '../../support/in-process.js';
import { authPolicy, loggedIn, newPerson, type Person } from './client.js';
import { inSession, newUser, tokenOf } from './in-process-logins.js';
import { allRestRows } from '../../support/graph.js';

const REST_ROWS = await allRestRows();

/*
 * A session that has something still to prove reaches hardly anything, even that of an
 * administrator. Every operation of both doors is tried.
 */

const WITH_TOTP = authPolicy({ secondary: { requireTotp: true } });

describe('every REST operation', () => {
  const OPEN_TO_PARTIAL = new Set([
    'GET /current-api-session',
    'DELETE /current-api-session',
    'POST /authenticate/mfa',
    'GET /current-identity/mfa',
    'POST /current-identity/mfa',
    'POST /current-identity/mfa/verify',
    'GET /current-identity/mfa/qr-code',
  ]);
  /** Version, specs and what clients need before they log in. */
  const OPEN_TO_ALL = new Set(
    REST_ROWS.filter((row) => row.permission.need === 'nothing').map(
      (row) => `${row.method} ${row.path}`,
    ),
  );

  let controller: TestController;
  let boss: Person;

  beforeAll(async () => {
    controller = await startController();
    const authPolicyId = await controller.create('auth-policies', WITH_TOTP);
    boss = await newPerson(controller, { isAdmin: true, authPolicyId });
  });
  afterAll(() => controller.stop());

  const rows = REST_ROWS.flatMap((row) => row.on.map((on) => ({ ...row, on })));

  test.each(['client', 'management'] as const)('of the %s interface', async (on) => {
    let { token } = await loggedIn(controller, boss);
    const refused: string[] = [];
    const reached: string[] = [];
    for (const { method, path } of rows.filter((row) => row.on === on)) {
      const name = `${method} ${path}`;
      if (OPEN_TO_ALL.has(name)) continue;
      const answer = await controller.send<Partial<Envelope>>(
        method,
        `${BASE_PATHS[on]}${path.replace(/\{\w+\}/g, 'nobody')}`,
        {
          headers: { 'zt-session': token, 'content-type': 'application/json' },
          ...(['GET', 'DELETE'].includes(method) ? {} : { body: '{}' }),
        },
      );
      const isRefused = answer.status === 401 && answer.body.error?.code === 'UNAUTHORIZED';
      (isRefused ? refused : reached).push(name);
      if (name === 'DELETE /current-api-session') ({ token } = await loggedIn(controller, boss));
    }
    expect(new Set(reached)).toEqual(OPEN_TO_PARTIAL);
    expect(refused.length).toBeGreaterThan(15);
  });

  test('is open to an administrator who has nothing to prove', async () => {
    for (const path of ['/identities', '/current-identity', '/summary']) {
      expect((await controller.rest('GET', path)).status).toBe(200);
    }
  });
});

describe('every GraphQL operation', () => {
  const OPEN_TO_PARTIAL = new Set([
    'currentApiSession',
    'deleteCurrentApiSession',
    'authenticateMfa',
    'currentMfa',
    'createCurrentMfa',
    'verifyCurrentMfa',
    'currentMfaQrCode',
  ]);

  let controller: InProcess;
  let user: { username: string; password: string };

  beforeAll(async () => {
    controller = await InProcess.start();
    const authPolicyId = await controller.create('AuthPolicy', WITH_TOTP);
    user = await newUser(controller, 'boss', { isAdmin: true, authPolicyId });
  });
  afterAll(() => controller.stop());

  const partial = async (): Promise<RequestContext> =>
    inSession(controller, await tokenOf(controller, { ...user }));

  const isRefused = async (text: string, ctx: RequestContext): Promise<boolean> => {
    const { errors } = await controller.graph(text, {}, ctx);
    return errors.some((e) => e?.code === 'UNAUTHORIZED');
  };

  test.each(['query', 'mutation'] as const)('that is a %s', async (kind) => {
    const { schema } = controller;
    const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    const reached: string[] = [];
    let ctx = await partial();
    for (const field of Object.values(root?.getFields() ?? {})) {
      const text = `${kind} { ${minimal(field)} }`;
      if (!(await isRefused(text, controller.anonymous()))) continue;
      if (!(await isRefused(text, ctx))) reached.push(field.name);
      if (field.name === 'deleteCurrentApiSession') ctx = await partial();
    }
    const fields = Object.keys(root?.getFields() ?? {});
    expect(new Set(reached)).toEqual(new Set(fields.filter((f) => OPEN_TO_PARTIAL.has(f))));
  });

  test('leads no further than the session itself', async () => {
    const ctx = await partial();
    const read = (selection: string) =>
      controller.graph(`{ currentApiSession { ${selection} } }`, {}, ctx);
    await expect(read('id identity { id name }')).resolves.toMatchObject({ errors: [] });
    for (const selection of [
      'identity { externalId }',
      'identity { permissions }',
      'identity { authenticatorsConnection { nodes { username } } }',
      'identity { services { nodes { id } } }',
      'sessions { nodes { id } }',
      'certificates { nodes { id } }',
    ]) {
      const { errors } = await read(selection);
      expect([selection, errors[0]?.code]).toEqual([selection, 'UNAUTHORIZED']);
    }
  });
});

/** A field with the arguments that it must have, and the least of its result. */
function minimal(field: GraphQLField<unknown, unknown>): string {
  const needed = field.args.filter((a) => isNonNullType(a.type) && a.defaultValue === undefined);
  const args = needed.map((a) => `${a.name}: ${literal(a.type)}`).join(', ');
  return `${field.name}${args === '' ? '' : `(${args})`} ${selection(field.type)}`;
}

function selection(type: GraphQLOutputType): string {
  return 'getFields' in bare(type) || 'getTypes' in bare(type) ? '{ __typename }' : '';
}

function bare(type: GraphQLOutputType | GraphQLInputType): GraphQLNamedType {
  return isNonNullType(type) || isListType(type)
    ? bare(type.ofType as GraphQLOutputType | GraphQLInputType)
    : type;
}

const SCALARS: Readonly<Record<string, string>> = {
  Int: '1',
  Float: '1',
  Boolean: 'true',
  DateTime: '"2030-01-01T00:00:00Z"',
  JSONObject: '{}',
};

function literal(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(type.ofType);
  if (isListType(type)) return '[]';
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (!isInputObjectType(type)) return SCALARS[type.name] ?? '"nobody"';
  const members = Object.values(type.getFields()).filter((f) => isNonNullType(f.type));
  return `{ ${members.map((f) => `${f.name}: ${literal(f.type)}`).join(', ')} }`;
}

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  getNamedType,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql';
import { type RestRow } from '../../../rest-compat/index.js';
import { BASE_PATHS } from '../../../src/base/interface-paths.js';
import type { Row } from '../../../src/base/row.js';
import { catalog } from '../../../src/resources/index.js';
import {
  ENTITIES,
  listing,
  OPEN,
  OPERATIONS,
  OWN_ROWS,
  ROLE_ATTRIBUTES,
  show,
  writing,
} from '../../graph/permission-table.js';
import { InProcess } from '../../support/in-process.js';
import { KINDS, meets, RestDoor, Sessions, subjectOf } from './matrix-callers.js';
import { allRestRows } from '../../support/graph.js';

const REST_ROWS = await allRestRows();

/*
 * Every kind of caller against every operation, on both doors. What must happen follows from the
 * reviewed permission table; a call that is let through may well fail, since it names what does
 * not exist.
 */

/** What is asked for beyond the table's entry, where arguments decide (see ARGUMENTS). */
const ANALYSIS = [
  'service.read',
  'service-policy.read',
  'router.read',
  'edge-router-policy.read',
  'service-edge-router-policy.read',
  'posture-check.read',
];

/** What lines of reviews show. */
const OF_LINES = ['identity.read', 'service.read', 'service-policy.read', 'ops.read'];

const ALSO: Readonly<Record<string, readonly string[]>> = {
  access: ANALYSIS,
  accesses: ['service.read', 'service-policy.read'],
  accessDiff: ['change.read', ...ANALYSIS],
  accessMap: ANALYSIS,
  accessMapClass: ANALYSIS,
  finding: [...ANALYSIS, 'ca.read', 'auth-policy.read'],
  findings: [...ANALYSIS, 'ca.read', 'auth-policy.read'],
  approvalEffect: ANALYSIS,
  simulate: ANALYSIS,
  unusedAccess: ['identity.read', ...ANALYSIS],
  startAccessReview: OF_LINES,
  accessReviewLines: OF_LINES,
  decideAccessReview: OF_LINES,
  node: ['service-policy.read'],
  policyAdvice: ['service.read'],
  roleAttributes: ['posture-check.read'],
  roleAttributeUsage: ['posture-check.read'],
};

/** Rows that get as far as what their operation adds, without any parameter. */
const ADDING: Readonly<Record<string, string>> = {
  getIdentityPolicyAdvice: 'policyAdvice',
  listAccesses: 'accesses',
  listAccessReviewLines: 'accessReviewLines',
  listFindings: 'findings',
};

/** Arguments that decide what is asked for. */
const ARGUMENTS: Readonly<Record<string, Row>> = {
  node: { id: Buffer.from('ServicePolicy:nobody').toString('base64url') },
  roleAttributes: { kind: 'postureCheck' },
  roleAttributeUsage: { kind: 'postureCheck' },
};

/** Open to all, and refused to who shows no certificate of a router: see the tests of enrollment. */
const BY_CERTIFICATE = 'extendRouterEnrollment';

/** Root field -> what it asks for. One entity alone, without relations, takes what a list of it takes. */
const DEMANDS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...[...catalog.all()].flatMap(({ name, list, single, verbs }) => {
    const isOwn = OWN_ROWS.includes(name) || OPEN.includes(name);
    const reading = `${String(ENTITIES[name])}.read`;
    return [
      [list, [listing(name)]] as const,
      [single, [isOwn ? `~ ${reading}` : reading]] as const,
      ...[...verbs].map((verb) => {
        const action = verb === 'replace' ? 'update' : verb;
        return [`${verb}${name}`, [writing(name, action)]] as const;
      }),
    ];
  }),
  ...[ROLE_ATTRIBUTES, OPERATIONS]
    .flatMap(Object.entries<string>)
    .map(([name, demand]) => [name, [demand, ...(ALSO[name] ?? [])]] as const),
]);

let controller: InProcess;
let sessions: Sessions;

beforeAll(async () => {
  controller = await InProcess.start();
  sessions = new Sessions(controller);
});
afterAll(() => controller.stop());

const kinds = Object.keys(KINDS);

describe('the GraphQL door', () => {
  async function isRefused(
    operation: 'query' | 'mutation',
    field: GraphQLField<unknown, unknown>,
    ctx: Parameters<InProcess['graph']>[2],
  ): Promise<boolean> {
    const { document, variables } = call(operation, field);
    const { errors } = await controller.graph(document, variables, ctx);
    return errors.some((error) => error?.code === 'UNAUTHORIZED' || error?.code === 'FORBIDDEN');
  }

  test.each(kinds)('lets %s do what the table says, and no more', async (kind) => {
    const { schema } = controller;
    const faults: string[] = [];
    const tried: string[] = [];
    for (const operation of ['query', 'mutation'] as const) {
      const root = operation === 'query' ? schema.getQueryType() : schema.getMutationType();
      for (const field of Object.values(root?.getFields() ?? {})) {
        if (field.name === BY_CERTIFICATE) continue;
        const demands = DEMANDS.get(field.name) ?? ['<not in the table>'];
        const holder = KINDS[kind]?.(...subjectOf(demands));
        if (!holder) throw new Error(kind);
        const expected = demands.every((demand) => meets(holder, demand));
        const isIn = !(await isRefused(operation, field, await sessions.contextOf(holder)));
        if (field.name === 'deleteCurrentApiSession') sessions.forget(holder);
        tried.push(field.name);
        if (isIn !== expected) {
          const who = holder.permissions.join() || kind;
          faults.push(
            `${who} ${isIn ? 'gets into' : 'is refused'} ${field.name} (${demands.join(', ')})`,
          );
        }
      }
    }
    expect(faults).toEqual([]);
    expect([...tried, BY_CERTIFICATE].sort()).toEqual([...DEMANDS.keys()].sort());
  });
});

describe('the REST door', () => {
  const rows = REST_ROWS.filter(
    ({ path }) => !/\/enroll\/(token|extend\/router)$/.test(path),
  ).flatMap((row) => row.on.map((on) => ({ row, on })));
  let door: RestDoor;

  beforeAll(async () => {
    door = await RestDoor.open(controller);
  });
  afterAll(() => door.close());

  /** What the row declares (the graph's tests hold it to the table), and what its operation adds. */
  function demandsOf(row: RestRow): string[] {
    return [String(show(row.permission)), ...(ALSO[ADDING[row.operationId] ?? ''] ?? [])];
  }

  test.each(kinds)('lets %s do what the table says, and no more', async (kind) => {
    const faults: string[] = [];
    for (const { row, on } of rows) {
      const demands = demandsOf(row);
      const holder = KINDS[kind]?.(...subjectOf(demands));
      if (!holder) throw new Error(kind);
      const expected = demands.every((demand) => meets(holder, demand))
        ? 'let in'
        : row.forbids && holder.standing === 'full'
          ? '403 FORBIDDEN'
          : '401 UNAUTHORIZED';
      const path = `${BASE_PATHS[on]}${row.path.replace(/\{\w+\}/g, 'nobody')}`;
      const answer = await door.send(row.method, path, await sessions.tokenOf(holder));
      if (row.operationId === 'deleteCurrentAPISession') sessions.forget(holder);
      const seen = /^40[13] (UNAUTHORIZED|FORBIDDEN)$/.test(answer) ? answer : 'let in';
      if (seen !== expected) {
        const who = holder.permissions.join() || kind;
        faults.push(
          `${on} ${row.method} ${row.path} (${demands.join(', ')}): ${who}: ${answer}, not ${expected}`,
        );
      }
    }
    expect(faults).toEqual([]);
  });
});

/** A field with the arguments that it must have, and the least of its result. */
function call(
  operation: 'query' | 'mutation',
  field: GraphQLField<unknown, unknown>,
): { document: string; variables: Row } {
  const needed = field.args.filter((a) => isNonNullType(a.type) && a.defaultValue === undefined);
  const heads = needed.map((a) => `$${a.name}: ${a.type.toString()}`).join(', ');
  const args = needed.map((a) => `${a.name}: $${a.name}`).join(', ');
  const selection = isCompositeType(getNamedType(field.type)) ? '{ __typename }' : '';
  return {
    document:
      needed.length === 0
        ? `${operation} { ${field.name} ${selection} }`
        : `${operation} (${heads}) { ${field.name}(${args}) ${selection} }`,
    variables: {
      ...Object.fromEntries(needed.map((a) => [a.name, valueOf(a.type)])),
      ...ARGUMENTS[field.name],
    },
  };
}

const SCALARS: Readonly<Record<string, unknown>> = {
  Int: 1,
  Float: 1,
  // Nobody but an administrator may make another one.
  Boolean: false,
  DateTime: '2030-01-01T00:00:00Z',
  JSONObject: {},
};

function valueOf(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return valueOf(type.ofType);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isInputObjectType(type)) return SCALARS[type.name] ?? 'nobody';
  const members = Object.values(type.getFields()).filter((f) => isNonNullType(f.type));
  return Object.fromEntries(members.map((f) => [f.name, valueOf(f.type)]));
}

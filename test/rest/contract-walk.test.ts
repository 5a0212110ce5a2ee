import { grantableIn } from '../../src/kernel/declare/grantable.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Interface, RestRow } from '../../rest-compat/engine/rest-row.js';
import { isObject } from '../../src/base/row.js';
import { BASE_PATHS } from '../../src/base/interface-paths.js';
import { identityPermissions } from '../../src/trust/auth/rules/identity-permissions.js';
import { inputNameOf, type Attribute } from '../../src/kernel/declare/attribute.js';
import type { Permission } from '../../src/kernel/declare/permissions.js';
import { catalog } from '../../src/resources/index.js';
import { startController, type TestController } from '../support/controller.js';
import { ABSENT_IN_FABRIC, ABSENT_MEMBERS, OWN_MEMBERS } from './contract-slips.js';
import { OWN_ROWS } from './own-rows.js';
import { SampleNetwork } from './support/network.js';
import { OwnDocument } from './support/own-document.js';
import { keyOf, parametersOf, requestFor, type SampleRequest } from './support/requests.js';
import { requiredMembers, without } from './support/samples.js';
import { MemberCensus, publishedContracts } from './support/published-contract.js';
import { Walker, type Judge } from './support/walker.js';
import { allRestRows } from '../support/graph.js';

const permissionNames = identityPermissions(grantableIn(catalog));

const rows = await allRestRows();
const walk = rows.flatMap((row) => row.on.map((on) => ({ row, on })));
const named = (cases: readonly { row: RestRow; on: Interface }[]) =>
  cases.map(({ row, on }) => ({ name: `${row.method} ${BASE_PATHS[on]}${row.path}`, row, on }));

const contracts = publishedContracts();
const edgeCensus = new MemberCensus(contracts.management);
const fabricCensus = new MemberCensus(contracts.fabric);

let controller: TestController;
let walker: Walker;
let powerless: string;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  const network = await new SampleNetwork(controller, catalog).build();
  const documents = {
    client: new OwnDocument(rows, 'client'),
    management: new OwnDocument(rows, 'management'),
    fabric: new OwnDocument(rows, 'fabric'),
  };
  walker = new Walker(network, documents, [judgeByContract]);
  powerless = (await network.login()).token;
});

afterAll(() => controller.stop());

/** Holds bodies against the published schemas and counts their members. */
const judgeByContract: Judge = (row, on, answer) => {
  const name = contracts[on].schemaOf(on, row, answer.status);
  const census = on === 'fabric' ? fabricCensus : edgeCensus;
  if (name !== undefined) census.count(name, answer.body);
  return contracts[on].bodyFaults(row, on, answer);
};

const request = (row: RestRow): Promise<SampleRequest> => requestFor(row, walker.network);
const codeOf = ({ body }: { body: { error: { code: string } } }): string => body.error.code;

/** Whether a session is enough, be it one that still has to prove a second factor. */
const isPersonal = ({ permission: { need } }: RestRow): boolean =>
  need === 'session' || need === 'partial';

/** They succeed for what a certificate or JWT of its own proves: see the tests of authentication and enrollment. */
const byCertificate = ({ path }: RestRow): boolean =>
  /\/authenticators\/\{id\}\/(extend|extend-verify|request-extend)$|\/enroll\/(ottca|ca|token|extend\/router)$|\/cas\/\{id\}\/verify$/.test(
    path,
  );

/** Controllers have no cluster: these are refused, whatever is asked. */
const isOfCluster = ({ path }: RestRow): boolean => path.startsWith('/cluster/');

const canSucceed = (row: RestRow): boolean => !byCertificate(row) && !isOfCluster(row);

describe('every row', () => {
  const others = walk.filter(({ row }) => canSucceed(row));

  test.each(named(others))('$name succeeds as declared', async ({ row, on }) => {
    const answer = await walker.send(row, on, await request(row));
    expect(answer.status).toBe(row.status);
    if (row.answer.kind === 'list') expect(answer.body.data).not.toHaveLength(0);
  });

  test.each(named(walk))('$name declares a permission that can be had', ({ row }) => {
    const { permission } = row;
    if (permission.need !== 'entity' || permission.entity === 'admin') return;
    expect(permissionNames).toContain(`${permission.entity}.${permission.action}`);
  });

  const closed = walk.filter(({ row }) => row.permission.need !== 'nothing');

  test.each(named(closed))('$name asks strangers for credentials', async ({ row, on }) => {
    const sample = await request(row);
    const stranger = await walker.send(row, on, sample, { token: null });
    expect([stranger.status, codeOf(stranger)]).toEqual([401, 'UNAUTHORIZED']);
    expect(stranger.headers['www-authenticate']).toBe(
      'zt-session realm="zt-session" error="missing" error_description="no matching token was provided",' +
        'Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"',
    );
    const forger = await walker.send(row, on, sample, { token: 'made-up' });
    expect(forger.status).toBe(401);
    expect(forger.headers['www-authenticate']).toBe(
      'zt-session realm="zt-session" error="invalid" error_description="token is invalid"',
    );
  });

  const open = others.filter(({ row }) => row.permission.need === 'nothing');

  test.each(named(open))('$name is open, whatever the token', async ({ row, on }) => {
    const answer = await walker.send(row, on, await request(row), { token: 'made-up' });
    expect(answer.status).toBe(row.status);
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });

  const restricted = closed.filter(({ row }) => !isPersonal(row));

  test.each(named(restricted))('$name is refused without permission', async ({ row, on }) => {
    const answer = await walker.send(row, on, await request(row), { token: powerless });
    expect(answer.status).toBe(row.forbids ? 403 : 401);
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });

  const personal = closed.filter(({ row }) => isPersonal(row));

  test.each(named(personal))('$name needs no permission', async ({ row, on }) => {
    const { token } = await walker.network.login();
    const answer = await walker.send(row, on, await request(row), { token });
    expect(answer.status).not.toBe(401);
  });

  // Rows of ours come last: lists of identities with permissions of ours are not the contract's.
  const isOurs = ({ row }: (typeof restricted)[number]): number => Number(keyOf(row) in OWN_ROWS);
  const grantable = restricted
    .filter(({ row }) => canSucceed(row) && grantOf(row.permission) !== undefined)
    .sort((a, b) => isOurs(a) - isOurs(b));

  test.each(named(grantable))('$name works with its permission alone', async ({ row, on }) => {
    const more = ALSO_NEEDED[keyOf(row)] ?? [];
    const { token } = await walker.network.login([grantOf(row.permission) ?? '', ...more]);
    const sample = await request(row);
    const answer = await walker.send(row, on, withoutMoreRights(sample), { token });
    // Whoever is no administrator has to use PATCH.
    const isIdentityPut = row.method === 'PUT' && row.path === '/identities/{id}';
    expect(answer.status).toBe(isIdentityPut ? 401 : row.status);
  });

  const withId = walk.filter(({ row }) => row.path.includes('{id}'));

  test.each(named(withId))('$name knows when there is no such entity', async ({ row, on }) => {
    const sample = await request(row);
    const answer = await walker.send(row, on, {
      ...sample,
      path: { ...sample.path, id: 'nobody' },
    });
    if (!row.emptyWithoutParent) {
      expect([answer.status, codeOf(answer)]).toEqual([404, 'NOT_FOUND']);
      expect(answer.body.error.cause?.message).toMatch(/^\w+ with id nobody not found$/);
    } else {
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual([]);
    }
  });
});

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

/** Rows that show entities of a second kind. */
const ALSO_NEEDED: Readonly<Record<string, readonly string[]>> = {
  'GET /access': ANALYSIS,
  'POST /simulate': [...ANALYSIS, 'ops.read'],
  'GET /unused-access': ['identity.read', ...ANALYSIS],
  'POST /access-reviews': OF_LINES,
  'GET /access-reviews/{id}/lines': OF_LINES,
  'GET /access-reviews/{id}/revocation': OF_LINES,
  'POST /access-reviews/{id}/decisions': OF_LINES,
  'GET /findings': [...ANALYSIS, 'ca.read', 'auth-policy.read'],
  'GET /access-diff': ['change.read', ...ANALYSIS],
  'GET /accesses': ['service.read', 'service-policy.read'],
  'GET /identities/{id}/policy-advice/{serviceId}': ['service.read'],
  // Changes are shown of what the caller may read.
  'GET /changes': ['service.read'],
  'GET /changes/{id}': ['service.read'],
};

/** Members of signers that need the permissions for what their JWTs give. */
const OF_MORE_RIGHTS = [
  'adminClaims',
  'roleAttributeClaims',
  'roleAttributePrefix',
  'roleAttributeMinutes',
  'idleDaysBeforeDeletion',
];

const withoutMoreRights = (sample: SampleRequest): SampleRequest =>
  isObject(sample.body) ? { ...sample, body: OF_MORE_RIGHTS.reduce(without, sample.body) } : sample;

/** The permission that suffices; none where only administrators may. */
function grantOf(permission: Permission): string | undefined {
  if (permission.need !== 'entity') return undefined;
  return permission.entity === 'admin'
    ? 'admin_readonly'
    : `${permission.entity}.${permission.action}`;
}

/** Members that hold what their sender likes. */
function freeMembers({ body }: RestRow): ReadonlySet<string> {
  const attributes = body?.kind === 'input' ? [...body.resource.attributes.values()] : [];
  const isFree = ({ type }: Attribute): boolean => type.kind === 'map' || type.kind === 'json';
  return new Set(attributes.filter(isFree).map(inputNameOf));
}

/** The same with an unknown member in every object, at every depth. */
function withStrangers(value: unknown, free: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withStrangers(item, free));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    free.has(name) ? member : withStrangers(member, free),
  ]);
  return { ...Object.fromEntries(members), undeclared: { by: ['anybody'] } };
}

const MAX_BODY_BYTES = 1024 * 1024;

describe('every row with a body', () => {
  const withBody = walk.filter(({ row }) => row.body !== undefined);
  const withJson = withBody.filter(({ row }) => row.body?.kind !== 'text');
  const insisting = withBody.flatMap(({ row, on }) =>
    row.body?.kind === 'input'
      ? requiredMembers(row.body.resource, row.body.verb).map((member) => ({ row, on, member }))
      : [],
  );
  const named1 = insisting.map((c) => ({ ...named([c])[0], ...c }));

  test.each(named1)('$name names the missing $member', async ({ row, on, member }) => {
    const sample = await request(row);
    const answer = await walker.send(row, on, {
      ...sample,
      body: without(sample.body as Record<string, unknown>, member),
    });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'COULD_NOT_VALIDATE']);
    expect(answer.body.error.cause?.field).toBe(member);
  });

  test.each(named(withJson))('$name refuses what is no JSON', async ({ row, on }) => {
    const answer = await walker.send(row, on, await request(row), { text: '{"name": ' });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'COULD_NOT_PARSE_BODY']);
  });

  test.each(named(withJson.filter((one) => canSucceed(one.row))))(
    '$name takes no notice of members that are not declared',
    async ({ row, on }) => {
      const sample = await request(row);
      const more = withStrangers(sample.body, freeMembers(row));
      const answer = await walker.send(row, on, { ...sample, body: more });
      expect(answer.status).toBe(row.status);
    },
  );

  test.each(named(withBody))('$name refuses a body above 1 MiB', async ({ row, on }) => {
    const text = Buffer.alloc(MAX_BODY_BYTES + 1, ' ');
    const sample = await request(row);
    const fixed = await walker.send(row, on, sample, { text });
    expect([fixed.status, codeOf(fixed)]).toEqual([413, 'REQUEST_ENTITY_TOO_LARGE']);
    const headers = { 'transfer-encoding': 'chunked' };
    const chunked = await walker.send(row, on, sample, { text, headers });
    expect([chunked.status, codeOf(chunked)]).toEqual([413, 'REQUEST_ENTITY_TOO_LARGE']);
  });

  test.each(named(withJson))('$name refuses another content type', async ({ row, on }) => {
    const headers = { 'content-type': 'application/xml' };
    const answer = await walker.send(row, on, await request(row), { text: '<a/>', headers });
    expect([answer.status, codeOf(answer)]).toEqual([415, 'COULD_NOT_VALIDATE']);
  });
});

describe('every path', () => {
  const enveloped = walk.filter(({ row }) => row.answer.kind !== 'raw');

  test.each(named(enveloped))('$name needs a client that accepts JSON', async ({ row, on }) => {
    const headers = { accept: 'application/x-pem-file' };
    const answer = await walker.send(row, on, await request(row), { headers });
    expect([answer.status, codeOf(answer)]).toEqual([406, 'COULD_NOT_VALIDATE']);
  });

  const paths = new Map(walk.map((c) => [`${BASE_PATHS[c.on]}${c.row.path}`, c] as const));

  test.each([...paths])('%s refuses other methods', async (path, { row, on }) => {
    const served = walk.filter((c) => c.on === on && c.row.path === row.path);
    const other = ['PUT', 'DELETE', 'POST', 'PATCH'].find(
      (method) => !served.some((c) => c.row.method === method),
    );
    if (other === undefined) throw new Error(`${path} serves every method`);
    const url = parametersOf(row).reduce((at, name) => at.replace(`{${name}}`, 'x'), path);
    const answer = await controller.rest(other, url);
    expect([answer.status, codeOf(answer)]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(answer.headers['content-type']).toBe('application/json');
  });
});

describe('the answers of the whole walk', () => {
  test('have no member that the contract does not know', () => {
    expect([...edgeCensus.unknown].sort()).toEqual(Object.keys(OWN_MEMBERS).sort());
    expect([...fabricCensus.unknown]).toEqual([]);
  });

  test('are of the kind that their discriminator says', () => {
    expect([...edgeCensus.faults, ...fabricCensus.faults]).toEqual([]);
  });

  test('lack only members that are known to be absent', () => {
    expect(edgeCensus.unseen().sort()).toEqual(Object.keys(ABSENT_MEMBERS).sort());
    expect(fabricCensus.unseen().sort()).toEqual(Object.keys(ABSENT_IN_FABRIC).sort());
  });
});

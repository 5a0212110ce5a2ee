import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../support/controller.js';
import { allRestRows } from '../support/graph.js';

const REST_ROWS = await allRestRows();

/** How lists are asked for: paging, filters as clients write them, what comes back. */

let controller: TestController;

beforeAll(async () => {
  controller = await startController();
  for (let n = 0; n < 12; n += 1) {
    await controller.create('posture-checks', {
      name: `check ${String(n).padStart(2, '0')}`,
      typeId: 'DOMAIN',
      domains: ['example.com'],
      roleAttributes: n % 2 === 0 ? ['even'] : ['odd'],
      tags: { 'with-part': `a=b${String(n)}` },
    });
  }
});
afterAll(() => controller.stop());

interface Listed {
  readonly status: number;
  readonly text: string;
  readonly names: string[];
  readonly paging: { limit: number; offset: number; totalCount: number };
  readonly code: string | undefined;
}

/** The query goes out as it is written here. */
async function list(query: string): Promise<Listed> {
  const { status, text, body } = await controller.rest('GET', `/posture-checks?${query}`);
  const answer = body as Partial<typeof body>;
  return {
    status,
    text,
    names: ((answer.data as { name: string }[] | undefined) ?? []).map(({ name }) => name),
    paging: answer.meta?.pagination ?? { limit: 0, offset: 0, totalCount: 0 },
    code: (answer.error as { code: string } | undefined)?.code,
  };
}

const UNLIMITED = '9223372036854775807';

describe('paging', () => {
  test.each([
    ['', 10, 0, 10],
    ['limit=5', 5, 0, 5],
    ['limit=0', 10, 0, 10],
    ['limit=-5', 10, 0, 10],
    ['limit=500', 500, 0, 12],
    ['limit=1000', 500, 0, 12],
    ['offset=8', 10, 8, 4],
    ['offset=-3', 10, 0, 10],
    ['limit=3&offset=11', 3, 11, 1],
    ['offset=200000', 10, 100_000, 0],
    ['filter=true%20limit%203&limit=5', 3, 0, 3],
    ['filter=true%20skip%2010&offset=2', 10, 10, 2],
    ['filter=skip%2011%20limit%201', 1, 11, 1],
  ])('"%s" is limit %i from %i with %i rows', async (query, limit, offset, count) => {
    const { names, paging } = await list(query);
    expect(paging).toEqual({ limit, offset, totalCount: 12 });
    expect(names).toHaveLength(count);
  });

  test.each(['limit=-1', 'filter=true%20limit%20none', 'filter=limit%20none&limit=2'])(
    '"%s" is everything',
    async (query) => {
      const { names, text } = await list(query);
      expect(names).toHaveLength(12);
      expect(text).toContain(`"limit":${UNLIMITED}`);
    },
  );

  test.each(['limit=ten', 'limit=1.5', 'offset=x'])('"%s" is refused', async (query) => {
    const { status, code } = await list(query);
    expect([status, code]).toEqual([400, 'INVALID_PAGINATION']);
  });
});

describe('filters as clients write them', () => {
  test.each([
    ['a raw equals sign', 'filter=name="check 01"', ['check 01']],
    ['equals signs in values', 'filter=tags.with-part="a=b3"', ['check 03']],
    ['a leading blank', 'filter=%20name icontains "CHECK 1"', ['check 10', 'check 11']],
    [
      'two blanks in a sort',
      'filter=name contains "1"&sort=name  desc',
      ['check 11', 'check 10', 'check 01'],
    ],
    [
      'a sort in the filter before the parameter',
      'filter=name contains "1" sort by name asc&sort=name desc',
      ['check 01', 'check 10', 'check 11'],
    ],
    ['plus signs for blanks', 'filter=name+=+"check+02"', ['check 02']],
    ['unknown parameters', 'rejectUnauthorized=false&filter=name="check 04"', ['check 04']],
    ['an empty filter', 'filter=&limit=1&sort=name', ['check 00']],
    ['a role filter', 'roleFilter=%23even&limit=2&sort=name', ['check 00', 'check 02']],
  ])('%s is understood', async (_, query, names) => {
    const listed = await list(query.replaceAll(' ', '%20').replaceAll('"', '%22'));
    expect(listed.names.slice().sort()).toEqual(names.slice().sort());
    if (query.includes('sort')) expect(listed.names).toEqual(names);
  });

  test.each([
    'filter=identity',
    'filter=name',
    'filter=name=%22',
    'filter=nothing=1',
    'filter=%00',
  ])('"%s" is refused with its cause', async (query) => {
    const { status, body } = await controller.rest('GET', `/posture-checks?${query}`);
    expect([status, body.error.code]).toEqual([400, 'INVALID_FILTER']);
    expect(body.error.message).toBe('The filter query supplied is invalid');
    expect(body.error.cause).toMatchObject({ code: 'UNHANDLED', message: expect.any(String) });
  });

  test('a sort by what is no field is refused', async () => {
    const { status, code } = await list('sort=nothing%20asc');
    expect([status, code]).toEqual([400, 'INVALID_SORT_IDENTIFIER']);
  });
});

/** Beside these, every resource has id, createdAt, updatedAt, tags and isSystem. */
const FIELDS: Readonly<Record<string, string>> = {
  'api-sessions':
    'token identity lastActivityAt authenticator ipAddress mfaComplete mfaRequired improperClientCertChain',
  'auth-policies':
    'name primary.cert.allowed primary.cert.allowExpiredCerts primary.updb.allowed primary.updb.minPasswordLength primary.updb.requireSpecialChar primary.updb.requireNumberChar primary.updb.requireMixedCase primary.updb.maxAttempts primary.extJwt.allowed secondary.requireTotp secondary.requireExtJwtSigner',
  authenticators:
    'method identity certFingerprint certPem isIssuedByNetwork isExtendRequested isKeyRollRequested extendRequestedAt publicKeyPrint lastAuthResolvedToRoot lastExtendRolledKeys updbUsername',
  cas: 'name fingerprint isVerified verificationToken isAutoCaEnrollmentEnabled isOttCaEnrollmentEnabled isAuthEnabled',
  'config-types': 'name schema target',
  configs: 'name type',
  'edge-router-policies': 'name semantic identityRoles edgeRouterRoles',
  'edge-routers':
    'name fingerprint cost noTraversal disabled ctrlChanListeners configs roleAttributes isVerified isTunnelerEnabled',
  enrollments: 'token identity edgeRouter transitRouter caId',
  'external-jwt-signers':
    'name fingerprint kid issuer certPem commonName notAfter notBefore enabled claimsProperty useExternalId audience clientId scopes targetToken enrollToCertEnabled enrollToTokenEnabled enrollAttributeClaimsSelector enrollNameClaimsSelector enrollAuthPolicyId',
  identities: 'name roleAttributes externalId type authPolicyId isAdmin isDefaultAdmin',
  'identity-types': 'name',
  'posture-check-types': 'name',
  'posture-checks': 'name typeId roleAttributes promptOnUnlock promptOnWake',
  'service-edge-router-policies': 'name semantic serviceRoles edgeRouterRoles',
  'service-policies':
    'name type semantic identityRoles serviceRoles postureCheckRoles identities services',
  services: 'name terminatorStrategy roleAttributes configs',
  sessions: 'token apiSession service type',
  terminators:
    'binding address instanceId hostId sourceCtrl service router service.name router.name',
  'transit-routers': 'name fingerprint cost noTraversal disabled ctrlChanListeners configs',
};

describe('a list of what hangs on an entity', () => {
  const lists = REST_ROWS.filter(({ document, method, on, answer }) => {
    const isRelation = /\{ result: \w+\(id: \$id\) \{ page: /.test(document);
    return method === 'GET' && answer.kind === 'list' && isRelation && on.includes('management');
  }).map(({ path }) => path);

  test.each(lists)('%s is empty where there is no such entity', async (path) => {
    for (const query of ['', '?limit=-1', '?limit=30&offset=0&sort=name%20asc']) {
      if (query.includes('sort') && !path.endsWith('services')) continue;
      const { status, body } = await controller.rest(
        'GET',
        path.replace('{id}', 'undefined') + query,
      );
      expect([query, status, body.data]).toEqual([query, 200, []]);
      expect(body.meta.pagination).toMatchObject({ offset: 0, totalCount: 0 });
    }
  });

  test('is there for every collection', () => {
    const collections = new Set(lists.map((path) => path.split('/')[1]));
    expect([...collections]).toEqual(
      expect.arrayContaining(['identities', 'services', 'edge-routers', 'configs']),
    );
    expect(lists.length).toBeGreaterThan(25);
  });
});

describe('filterable fields', () => {
  test.each(Object.entries(FIELDS))('of %s are all named', async (collection, fields) => {
    const { body } = await controller.rest('GET', `/${collection}`);
    const base = ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem'];
    expect(body.meta.filterableFields).toEqual(
      expect.arrayContaining([...base, ...fields.split(' ')]),
    );
  });

  test.each(Object.entries(FIELDS))(
    'of %s can be sorted or compared',
    async (collection, fields) => {
      for (const field of fields.split(' ')) {
        const plain = await controller.rest('GET', `/${collection}?filter=${field}%20!=%20null`);
        // Free maps are asked for by their members.
        if (field === 'ctrlChanListeners') continue;
        const set = await controller.rest('GET', `/${collection}?filter=isEmpty(${field})`);
        expect([field, [plain.status, set.status].includes(200)]).toEqual([field, true]);
      }
    },
  );
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { ADMIN, callerOf, InProcess } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';

/* Callers with some permissions get the members of the overview that these permit, and no error. */

const NOW = new Date('2026-05-01T10:30:00.000Z');
const HOUR = 3_600_000;

let controller: InProcess;
const { idOf, make, person } = new NamedEntities(() => controller);

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: () => NOW });
  // Its enrollment ends first.
  await make('EdgeRouter', 'new 1', {});
  await person('invited');
  for (const [i, method] of ['ott', 'updb'].entries()) {
    await controller.create('Enrollment', {
      method,
      identityId: idOf('invited'),
      username: `invited ${method}`,
      expiresAt: new Date(NOW.getTime() + (i + 10) * HOUR),
    });
  }
});
afterAll(() => controller.stop());

interface Expiries {
  readonly kinds: readonly string[];
  readonly nodes: readonly { readonly kind: string; readonly entityName: string | null }[];
}

async function overview<T = Row>(members: string, ctx = controller.ctx()): Promise<T> {
  const answer = await controller.read<{ overview: T }>(`{ overview { ${members} } }`, {}, ctx);
  return answer.overview;
}

describe('a caller', () => {
  const FINDINGS = ['identity', 'service', 'service-policy', 'router', 'edge-router-policy']
    .concat(['service-edge-router-policy', 'posture-check', 'ca', 'auth-policy'])
    .map((entity) => `${entity}.read`);

  const ALL = `counts { identities edgeRouters } routers { online } sessions(hours: 1) { hour }
    failedLogins { total } findings { high } controllers { id } expiring(first: 100) { kinds nodes { kind entityName } }`;

  const PUBLIC_KINDS = ['ROOT', 'SIGNER', 'SERVER_CERTIFICATE'];

  const members = async (caller = ADMIN): Promise<readonly [string[], string[]]> => {
    const answer = await overview<Row & { counts: Row; expiring: Expiries }>(
      ALL,
      controller.ctx(caller),
    );
    const given = Object.entries({ ...answer, ...answer.counts })
      .filter(([name, value]) => value !== null && name !== 'counts' && name !== 'expiring')
      .map(([name]) => name);
    return [
      given.sort(),
      answer.expiring.kinds.filter((kind) => !PUBLIC_KINDS.includes(kind)).sort(),
    ];
  };

  test.each<[string, string[], string[], string[]]>([
    ['config', ['config.read'], [], []],
    ['identities', ['identity.read'], ['identities'], []],
    ['routers', ['router'], ['edgeRouters', 'routers'], ['ROUTER_CERTIFICATE']],
    ['operation', ['ops.read'], ['sessions', 'failedLogins'], []],
    ['authorities', ['ca.read'], [], ['CERTIFICATE_AUTHORITY']],
    ['signers', ['external-jwt-signer'], [], ['JWT_SIGNER']],
    ['enrollments', ['enrollment.read'], [], ['ENROLLMENT']],
    [
      'all that findings need',
      FINDINGS,
      ['identities', 'edgeRouters', 'routers', 'findings'],
      ['ROUTER_CERTIFICATE', 'CERTIFICATE_AUTHORITY'],
    ],
    [
      'all that findings need but auth policies',
      FINDINGS.slice(0, -1),
      ['identities', 'edgeRouters', 'routers'],
      ['ROUTER_CERTIFICATE', 'CERTIFICATE_AUTHORITY'],
    ],
  ])('who may read %s gets that, and null for the rest', async (_, permissions, given, kinds) => {
    expect(await members(callerOf('x', ...permissions))).toEqual([
      [...given, 'controllers'].sort(),
      kinds.sort(),
    ]);
  });

  test.each([
    ['an administrator', ADMIN],
    ['who may read everything', callerOf('x', 'admin_readonly')],
  ])('%s gets all', async (_, caller) => {
    const [given, kinds] = await members(caller);
    expect(given).toHaveLength(7);
    expect(kinds).toHaveLength(5);
  });

  test.each([
    ['without a session', undefined],
    ['who may read nothing', callerOf('x', 'service.update')],
    ['with a factor still to prove', { ...ADMIN, authQueries: [{ typeId: 'MFA' }] as never }],
  ])('%s is refused', async (_, caller) => {
    const ctx = caller ? controller.ctx(caller) : controller.anonymous();
    const { data, errors } = await controller.graph(`{ overview { ${ALL} } }`, {}, ctx);
    expect(data).toEqual({ overview: null });
    expect(errors.map((error) => error?.code)).toEqual(['UNAUTHORIZED']);
  });

  test('does not learn names that it may not read', async () => {
    const names = async (...permissions: string[]) => {
      const ctx = controller.ctx(callerOf('x', ...permissions));
      const { nodes } = (
        await overview<{ expiring: Expiries }>('expiring { kinds nodes { kind entityName } }', ctx)
      ).expiring;
      return nodes.filter(({ kind }) => kind === 'ENROLLMENT').map(({ entityName }) => entityName);
    };
    expect(await names('enrollment.read')).toEqual([null, null, null]);
    expect(await names('enrollment.read', 'router.read')).toEqual(['new 1', null, null]);
    expect(await names('enrollment.read', 'identity.read')).toEqual([null, 'invited', 'invited']);
  });

  test('does not learn whose logins fail without the permission to read identities', async () => {
    const { loginCounts } = controller.parts;
    loginCounts.apply({
      ...{
        at: NOW,
        requestId: 'r',
        method: 'password',
        address: '10.0.0.1',
        refusal: 'WRONG_PASSWORD',
      },
      ...{ identityId: idOf('invited'), authenticatorId: '', signerId: '', authPolicyId: '' },
      isChainImproper: false,
    });
    await loginCounts.flush();
    const text = 'failedLogins { nodes { identity { name } } }';
    const seen = (...permissions: string[]) =>
      overview(text, controller.ctx(callerOf('x', ...permissions)));
    const nodes = (identity: Row | null) => ({ failedLogins: { nodes: [{ identity }] } });
    expect(await seen('ops.read')).toEqual(nodes(null));
    expect(await seen('ops.read', 'identity.read')).toEqual(nodes({ name: 'invited' }));
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../../src/base/row.js';
import { newSvid, pemOf } from '../../../support/bundle-server.js';
import { eventually } from '../../../support/eventually.js';
import { callerOf, type InProcess } from '../../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../../support/two-in-process.js';
import { remove } from '../../../access/enforcement/dialling.js';
import { newAuthority } from '../certificates.js';
import { unique } from '../client.js';
import { logInBy, refusalOf, type SvidSession } from './svid-logins.js';
import { enter, newTrustDomain, refresh, type TestTrustDomain } from './trust-domain.js';

/* Rules of an authority on the path of the SPIFFE ID: conditions, and role attributes. */

let both: TwoInProcess;
let controller: InProcess;
let domain: TestTrustDomain;
let authority: string;
let prefix: string;
/** The identity of `/ns/prod/sa/web`. */
let web: string;

beforeAll(async () => {
  both = await startTwo({});
  ({ controller } = both);
});
afterAll(() => both.stop());
beforeEach(async () => {
  domain = await newTrustDomain('rules');
  prefix = `${unique('k8s')}:`;
  authority = await enter(controller, domain);
  await refresh(controller, authority);
  await accept({
    svidPathTemplate: '/ns/{namespace}/sa/{serviceAccount}',
    roleAttributeClaims: ['namespace', '/serviceAccount'],
    roleAttributePrefix: prefix,
  });
  web = await controller.create('Identity', {
    ...{ name: domain.name, type: 'Default', isAdmin: false, roleAttributes: ['desk'] },
    externalId: `spiffe://${domain.name}/ns/prod/sa/web`,
  });
});

const UPDATE = `mutation ($id: ID!, $input: UpdateCertificateAuthorityInput!) {
  updateCertificateAuthority(id: $id, input: $input) { id } }`;

/** The codes and fields of the errors of a change. */
async function change(input: Row, ctx = controller.ctx()): Promise<unknown[]> {
  const { errors } = await controller.graph(UPDATE, { id: authority, input }, ctx);
  return errors.map((error) => [
    error?.code,
    (error?.detail as { field?: string } | undefined)?.field,
  ]);
}

async function accept(input: Row): Promise<void> {
  expect(await change(input)).toEqual([]);
}

const svid = (path: string) => newSvid(`spiffe://${domain.name}${path}`, domain.root);

async function logIn(path = '/ns/prod/sa/web', at = controller): Promise<SvidSession | undefined> {
  return logInBy(at, [await svid(path)]);
}

async function effective(of = web): Promise<readonly string[]> {
  const { identity } = await controller.read<{
    identity: { effectiveRoleAttributes: readonly string[] };
  }>('query ($id: ID!) { identity(id: $id) { effectiveRoleAttributes } }', { id: of });
  return identity.effectiveRoleAttributes;
}

const given = (...names: readonly string[]) => ['desk', ...names.map((name) => prefix + name)];

describe('role attributes', () => {
  test('come from the segments of the path at each login, at every controller', async () => {
    for (const at of [both.other, controller]) {
      expect(await logIn('/ns/prod/sa/web', at)).toMatchObject({ identityId: web });
      await eventually(async () => {
        expect(await effective()).toEqual(given('prod', 'web'));
      });
    }
    await accept({ roleAttributeClaims: ['namespace'] });
    await logIn('/ns/prod/sa/web', both.other);
    await eventually(async () => {
      expect(await effective()).toEqual(given('prod'));
    });
  });

  test('are assignments of the authority', async () => {
    await logIn();
    const { roleAssignments } = await controller.read<{ roleAssignments: { nodes: Row[] } }>(
      `query ($filter: String!) { roleAssignments(filter: $filter) { nodes { source } } }`,
      { filter: `identity = "${web}"` },
    );
    expect(roleAssignments.nodes).toEqual(
      ['prod', 'web'].map(() => ({ source: `authority:${authority}` })),
    );
  });

  test('end at the login by a path that does not fit a new template', async () => {
    await logIn();
    await accept({ svidPathTemplate: '/team/{namespace}' });
    expect(await logIn()).toMatchObject({ identityId: web });
    expect(await effective()).toEqual(['desk']);
  });

  test('end with the authority', async () => {
    await logIn();
    await remove(controller, 'CertificateAuthority', authority);
    expect(await effective()).toEqual(['desk']);
  });

  test('have a prefix that nobody else writes, neither by hand nor for another trust domain', async () => {
    const { errors } = await controller.graph(
      `mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }`,
      { id: web, input: { roleAttributes: [`${prefix}prod`] } },
    );
    expect(errors.map((error) => error?.code)).toEqual(['COULD_NOT_VALIDATE']);
    const { input } = await newTrustDomain('thief');
    await expect(
      controller.create('CertificateAuthority', { ...input, roleAttributePrefix: prefix }),
    ).rejects.toThrow();
    const field = ['COULD_NOT_VALIDATE', 'identityRoles'];
    expect(await change({ identityRoles: [`${prefix}all`] })).toEqual([field]);
  });

  test('keep their prefix while identities have some', async () => {
    await logIn();
    const other = { roleAttributePrefix: `${unique('new')}:` };
    expect(await change(other)).toEqual([['COULD_NOT_VALIDATE', 'roleAttributePrefix']]);
  });

  test('of an X509-SVID that has ended, or of another root, are not given', async () => {
    const id = `spiffe://${domain.name}/ns/prod/sa/web`;
    expect(await logInBy(controller, [await newSvid(id, domain.root, { isExpired: true })])).toBe(
      undefined,
    );
    expect(await logInBy(controller, [await newSvid(id, await newAuthority('thief'))])).toBe(
      undefined,
    );
    expect(await effective()).toEqual(['desk']);
  });
});

describe('conditions', () => {
  const inNamespace = (namespace: string): Row => ({
    conditions: [{ claim: 'namespace', values: [namespace], pattern: null }],
  });

  test('let in the paths that meet them all', async () => {
    await accept(inNamespace('prod'));
    expect(await logIn()).toMatchObject({ identityId: web });
    await accept(inNamespace('test'));
    expect(await logIn('/ns/prod/sa/web', both.other)).toBeUndefined();
    expect(await refusalOf(controller, [await svid('/ns/prod/sa/web')])).toBe('UNMET_CONDITION');
  });

  test('may be about the whole id', async () => {
    const pattern = `spiffe://${domain.name}/ns/prod/.*`;
    await accept({ conditions: [{ claim: 'sub', values: [], pattern }], svidPathTemplate: null });
    expect(await logIn()).toMatchObject({ identityId: web });
  });

  test('refuse a path that does not fit the template, whatever they are about', async () => {
    const path = '/ns/prod/sa/web/more';
    await controller.create('Identity', {
      ...{ name: unique('more'), type: 'Default', isAdmin: false },
      externalId: `spiffe://${domain.name}${path}`,
    });
    expect(await logIn(path)).toBeDefined();
    await accept({ conditions: [{ claim: 'sub', values: [], pattern: '.*' }] });
    expect(await logIn(path)).toBeUndefined();
  });
});

describe('the rules', () => {
  test.each<[string, Row, string]>([
    ['a template without a slash', { svidPathTemplate: 'ns/{a}' }, 'svidPathTemplate'],
    ['a slash at the end', { svidPathTemplate: '/ns/{a}/' }, 'svidPathTemplate'],
    ['a part of a segment', { svidPathTemplate: '/ns-{a}' }, 'svidPathTemplate'],
    ['dots', { svidPathTemplate: '/ns/../{a}' }, 'svidPathTemplate'],
    ['a name twice', { svidPathTemplate: '/{a}/{a}' }, 'svidPathTemplate'],
    ['the name of the id', { svidPathTemplate: '/{sub}' }, 'svidPathTemplate'],
    ['a name of the language', { svidPathTemplate: '/{__proto__}' }, 'svidPathTemplate'],
    ['claims without a prefix', { roleAttributePrefix: null }, 'roleAttributePrefix'],
    ['a prefix without a colon', { roleAttributePrefix: 'abc' }, 'roleAttributePrefix'],
    ['no identities', { maxCreatedIdentities: 0 }, 'maxCreatedIdentities'],
    ['no auth policy', { enrollAuthPolicyId: 'none' }, 'enrollAuthPolicyId'],
  ])('with %s are refused', async (_name, input, field) => {
    expect(await change(input)).toEqual([['COULD_NOT_VALIDATE', field]]);
  });

  test('go with a bundle endpoint alone', async () => {
    const { input } = domain;
    const plain = { ...input, name: unique('plain'), bundleEndpoint: null };
    const certPem = pemOf(await newAuthority('plain'));
    const CREATE = `mutation ($input: CreateCertificateAuthorityInput!) {
      createCertificateAuthority(input: $input) { id } }`;
    for (const [field, value] of Object.entries({
      conditions: [{ claim: 'sub', values: ['x'] }],
      createsIdentities: true,
      svidPathTemplate: '/{a}',
    })) {
      const input = { ...plain, certPem, [field]: value };
      const { errors } = await controller.graph(CREATE, { input });
      expect(errors.map((error) => error?.detail)).toMatchObject([{ field }]);
    }
  });

  test('on role attributes are written by those who may write identities', async () => {
    const writer = controller.ctx(callerOf('writer', 'ca'));
    for (const input of [{ roleAttributeMinutes: 5 }, { roleAttributeClaims: ['sub'] }]) {
      expect(await change(input, writer)).toEqual([['UNAUTHORIZED', undefined]]);
    }
    const writers = controller.ctx(callerOf('writer', 'ca', 'identity'));
    expect(await change({ roleAttributeMinutes: 5 }, writers)).toEqual([]);
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { InProcess } from '../../support/in-process.js';
import { authPolicy } from '../../trust/auth/client.js';
import { exported, imported, mustImport, totals } from './transfers.js';

/* Authorities of trust domains in documents. */

let here: InProcess;
let there: InProcess;

const TYPES = ['certificateAuthority', 'authPolicy'];

const authority = (name: string, trustDomain: string, more: object = {}) => ({
  ...{ name, isAuthEnabled: true, identityRoles: [] },
  ...{ isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false },
  bundleEndpoint: { trustDomain, url: `https://${trustDomain}/bundle`, profile: 'HTTPS_WEB' },
  ...more,
});

const RULES = {
  svidPathTemplate: '/ns/{namespace}/sa/{serviceAccount}',
  conditions: [{ claim: 'namespace', values: ['prod'], pattern: null }],
  ...{ roleAttributeClaims: ['namespace'], roleAttributePrefix: 'ns:', roleAttributeMinutes: 60 },
  ...{ createsIdentities: true, maxCreatedIdentities: 5, enrollNameClaimsSelector: 'sub' },
};

beforeAll(async () => {
  here = await InProcess.start();
  there = await InProcess.start();
  await mustImport(here, {
    authPolicies: [{ ...authPolicy({}), name: 'workloads' }],
    certificateAuthorities: [
      authority('prod', 'prod.example', { ...RULES, enrollAuthPolicy: '@workloads' }),
    ],
  });
});
afterAll(async () => {
  await here.stop();
  await there.stop();
});

it('come with their rules, and the names of what they refer to', async () => {
  const { certificateAuthorities } = await exported(here, TYPES);
  expect(certificateAuthorities).toMatchObject([
    { name: 'prod', ...RULES, enrollAuthPolicy: '@workloads' },
  ]);
});

it('are the same in another network, and unchanged the next time', async () => {
  const document = await exported(here, TYPES);
  expect(totals(await mustImport(there, document)).failed).toBe(0);
  expect(await exported(there, TYPES)).toEqual(document);
  for (const network of [here, there]) {
    expect(totals(await mustImport(network, document))).toMatchObject({ created: 0, updated: 0 });
  }
});

it('do not need the state of downloads, and leave it as it is', async () => {
  const roots = 'certificates of a download';
  await there.parts.store.query(
    sql`update certificate_authority set is_verified = true, bundle_roots = ${roots}::text`,
  );
  const document = await exported(there, TYPES);
  expect(JSON.stringify(document)).not.toContain(roots);
  const changed = {
    certificateAuthorities: [authority('prod', 'prod.example', { tags: { a: 1 } })],
  };
  expect(totals(await mustImport(there, changed))).toMatchObject({ updated: 1 });
  const stored = await there.parts.store.query(
    sql<{
      roots: string;
    }>`select bundle_roots as roots from certificate_authority where is_verified`,
  );
  expect(stored).toEqual([{ roots }]);
});

it('are refused by their trust domain, in the document and beside another one of the network', async () => {
  const faultsOf = async (...trustDomains: readonly string[]): Promise<readonly unknown[]> => {
    const certificateAuthorities = trustDomains.map((trustDomain, index) =>
      authority(`new ${String(index)}`, trustDomain),
    );
    const { faults } = await imported(here, { certificateAuthorities }, true);
    return faults.map((fault) => (fault as unknown as { field: string }).field);
  };
  expect(await faultsOf('twice.example', 'twice.example')).toEqual(['bundleEndpoint.trustDomain']);
  expect(await faultsOf('prod.example')).toEqual(['bundleEndpoint.trustDomain']);
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiError } from '../../../../src/base/errors.js';
import type { Row } from '../../../../src/base/row.js';
import type { InProcess } from '../../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../../support/two-in-process.js';
import { authorityOf, newTrustDomain } from './trust-domain.js';

/* Inputs of authorities with a bundle endpoint: which are accepted, and which are refused. */

let both: TwoInProcess;
let controller: InProcess;

beforeAll(async () => {
  both = await startTwo({});
  ({ controller } = both);
});
afterAll(() => both.stop());

/** The member that an error is about. */
const fieldOf = (error: ApiError | undefined): unknown =>
  (error?.detail as { field?: unknown } | undefined)?.field;

describe('an input', () => {
  const CREATE = `mutation ($input: CreateCertificateAuthorityInput!) {
    createCertificateAuthority(input: $input) { id } }`;
  const faultOf = async (input: Row): Promise<unknown> => {
    const { errors } = await controller.graph(CREATE, { input });
    return fieldOf(errors[0]);
  };
  const endpoint = { trustDomain: 'in.example', url: 'https://in.example', profile: 'HTTPS_WEB' };
  const withEndpoint = (more: Row): Row => authorityOf('input', { ...endpoint, ...more });

  test.each([
    ['http', { url: 'http://in.example/' }, 'url'],
    ['a password', { url: 'https://u:p@in.example/' }, 'url'],
    ['a metadata address', { url: 'https://169.254.169.254/' }, 'url'],
    ['a trust domain with scheme', { trustDomain: 'spiffe://in.example' }, 'trustDomain'],
    ['a trust domain in capitals', { trustDomain: 'In.example' }, 'trustDomain'],
    [
      'an id without https_spiffe',
      { endpointSpiffeId: 'spiffe://in.example/a' },
      'endpointSpiffeId',
    ],
    ['https_spiffe without an id', { profile: 'HTTPS_SPIFFE' }, 'endpointSpiffeId'],
    [
      'a server of another trust domain',
      { profile: 'HTTPS_SPIFFE', endpointSpiffeId: 'spiffe://on.example/a' },
      'endpointSpiffeId',
    ],
    [
      'https_spiffe without authorities',
      { profile: 'HTTPS_SPIFFE', endpointSpiffeId: 'spiffe://in.example/a' },
      'ca',
    ],
  ])('with %s is refused', async (_name, more, member) => {
    expect(await faultOf(withEndpoint(more))).toBe(`bundleEndpoint.${member}`);
  });

  test('with the trust domain of this network is refused', async () => {
    const { trustDomain } = controller.parts.keys;
    expect(await faultOf(withEndpoint({ trustDomain }))).toBe('bundleEndpoint.trustDomain');
  });

  test.each([
    ['isAutoCaEnrollmentEnabled', true],
    ['isOttCaEnrollmentEnabled', true],
    ['externalIdClaim', { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE' }],
  ])('with %s is refused', async (name, value) => {
    expect(await faultOf({ ...withEndpoint({}), [name]: value })).toBe(name);
  });

  test('without a certificate needs an endpoint', async () => {
    expect(await faultOf({ ...withEndpoint({}), bundleEndpoint: null })).toBe('certPem');
  });

  test('of a trust domain that has an authority is refused, also in a race of two controllers', async () => {
    const { input } = await newTrustDomain('raced');
    const outcomes = await Promise.all(
      [controller, both.other].map((one, index) =>
        one.graph(CREATE, { input: { ...input, name: `raced ${String(index)}` } }),
      ),
    );
    const codes = outcomes.flatMap(({ errors }) => errors.map(fieldOf));
    expect(codes).toEqual(['bundleEndpoint.trustDomain']);
  });
});

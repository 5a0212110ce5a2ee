import { describe, expect, test } from '@jest/globals';
import { issuerOf } from '../../../src/trust/oidc/index.js';

/* The issuer that a `Host` header addresses. */

/** A certificate for `localhost`, for one address, and for each host below a domain. */
const certificate = {
  checkHost: (name: string) =>
    name === 'localhost' || name.endsWith('.example.com') ? name : undefined,
  checkIP: (ip: string) => (ip === '::1' ? ip : undefined),
};

const issuer = (host: string | undefined): string | undefined =>
  issuerOf(host, { certificate: () => certificate, hosts: ['proxy'] });

describe('a host is an issuer', () => {
  test.each([
    ...['localhost', 'LocalHost:1280', 'localhost:1', 'localhost:65535', '[::1]:1280'],
    ...['proxy', 'Proxy:443', 'a.example.com'],
  ])('as written: %s', (host) => {
    expect(issuer(host)).toBe(`https://${host}/oidc`);
    expect(URL.canParse(issuer(host) ?? '')).toBe(true);
  });
});

describe('a host is no issuer', () => {
  test.each([
    ['of another controller', 'evil.example'],
    ['of another address', '[::2]'],
    ['with a port above all', 'localhost:65536'],
    ['with a port far above all', 'localhost:99999'],
    ['with the port zero', 'localhost:0'],
    ['with the port zero in five digits', 'localhost:00000'],
    ['without the port after its colon', 'localhost:'],
    ['with the name of a user', 'user@localhost'],
    ['with a path', 'localhost/x'],
    ['in no valid punycode', 'xn--a.example.com'],
    ['that is empty', ''],
    ['that is missing', undefined],
  ])('%s', (_, host) => {
    expect(issuer(host)).toBeUndefined();
  });
});

import { describe, expect, test } from '@jest/globals';
import { meetsCondition } from '../../../../src/trust/auth/rules/index.js';

const CLAIMS = {
  sub: 'repo:acme/shop:ref:refs/heads/main',
  groups: ['staff', 'on-call'],
  level: 3,
  admin: true,
  nothing: null,
  user: { 'team/name': 'red' },
  long: 'a'.repeat(2_000),
};

const oneOf = (claim: string, ...values: string[]) => ({ claim, values, pattern: null });
const like = (claim: string, pattern: string) => ({ claim, values: [], pattern });

describe('a condition on claims', () => {
  test.each([
    oneOf('groups', 'guests', 'staff'),
    oneOf('/groups/1', 'on-call'),
    oneOf('level', '3'),
    oneOf('admin', 'true'),
    oneOf('/user/team~1name', 'red'),
    like('sub', 'repo:acme/[^:]+:ref:refs/heads/main'),
    like('groups', 'on-.*'),
  ])('%j is met', (condition) => {
    expect(meetsCondition(CLAIMS, condition)).toBe(true);
  });

  test.each([
    oneOf('groups', 'Staff'),
    oneOf('groups', 'staff,on-call'),
    oneOf('missing', 'undefined', ''),
    oneOf('nothing', 'null'),
    oneOf('user', '[object Object]'),
    oneOf('/constructor/name', 'Object'),
    // A part of the text is not enough.
    like('sub', 'repo:acme'),
    like('sub', 'acme/shop'),
    like('missing', '.*'),
    like('user', '.*'),
    like('long', 'a*'),
  ])('%j is not met', (condition) => {
    expect(meetsCondition(CLAIMS, condition)).toBe(false);
  });

  test('is judged in linear time', () => {
    const claims = { sub: `${'a'.repeat(999)}!` };
    expect(meetsCondition(claims, like('sub', '(a+)+'))).toBe(false);
  });
});

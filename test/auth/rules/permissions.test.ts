import { describe, expect, it, test } from '@jest/globals';
import { checkPermissions, identityPermissions } from '../../../src/auth/rules/index.js';
import { refusal } from '../../support/refusal.js';

describe('permissions of an identity', () => {
  it('are 77 names, none twice', () => {
    expect(identityPermissions).toHaveLength(77);
    expect(new Set(identityPermissions).size).toBe(77);
    expect(identityPermissions).toEqual(
      expect.arrayContaining(['admin_readonly', 'ca', 'ops.read', 'service-policy.delete']),
    );
    expect(identityPermissions).not.toContain('ops.create');
  });

  test.each<[unknown, string[]]>([
    [undefined, []],
    [null, []],
    [[], []],
    [
      ['service', 'ca.read', 'service', 'admin_readonly'],
      ['admin_readonly', 'ca.read', 'service'],
    ],
    [[...identityPermissions].reverse(), [...identityPermissions].sort()],
  ])('%j are stored as %j', (values, stored) => {
    expect(checkPermissions(values)).toEqual(stored);
  });

  test.each([['ca'], [['admin']], [['ca', 'Ca']], [['ops.create']], [[1]], [[null]], [{}]])(
    '%j are refused',
    (values) => {
      expect(refusal(checkPermissions, values)?.field).toBe('permissions');
    },
  );
});

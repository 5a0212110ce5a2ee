import { grantableIn } from '../../../../src/kernel/declare/grantable.js';
import { describe, expect, it, test } from '@jest/globals';
import { checkPermissions, identityPermissions } from '../../../../src/trust/auth/rules/index.js';
import { catalog } from '../../../../src/resources/index.js';
import { refusal } from '../../../support/refusal.js';

const names = identityPermissions(grantableIn(catalog));

describe('permissions of an identity', () => {
  // The document names each of them: test/trust/auth/reachability.test.ts.
  it('have names, none twice', () => {
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['admin_readonly', 'ca', 'ops.read', 'service-policy.delete']),
    );
    expect(names).not.toContain('ops.create');
    expect(names.filter((name) => name.startsWith('controllers'))).toEqual([
      'controllers',
      'controllers.read',
    ]);
  });

  test.each<[unknown, string[]]>([
    [undefined, []],
    [null, []],
    [[], []],
    [
      ['service', 'ca.read', 'service', 'admin_readonly'],
      ['admin_readonly', 'ca.read', 'service'],
    ],
    [[...names].reverse(), [...names].sort()],
  ])('%j are stored as %j', (values, stored) => {
    expect(checkPermissions(grantableIn(catalog), values)).toEqual(stored);
  });

  test.each([['ca'], [['admin']], [['ca', 'Ca']], [['ops.create']], [[1]], [[null]], [{}]])(
    '%j are refused',
    (values) => {
      expect(refusal(checkPermissions, grantableIn(catalog), values)?.field).toBe('permissions');
    },
  );
});

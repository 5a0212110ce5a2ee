import { describe, expect, it, test } from '@jest/globals';
import {
  allows,
  checkPermissions,
  identityPermissions,
  permissionActions,
} from '../../../src/auth/rules/index.js';
import { refusal } from '../../config-types/faults.js';

describe('permissions of an identity', () => {
  it('are 75 names, none twice', () => {
    expect(identityPermissions).toHaveLength(75);
    expect(new Set(identityPermissions).size).toBe(75);
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

describe('access to a management operation', () => {
  const entities = ['service', 'authenticator'];
  const holders: readonly (readonly [
    string,
    boolean,
    string[],
    (entity: string, action: string) => boolean,
  ])[] = [
    ['an admin', true, [], () => true],
    ['nobody in particular', false, [], () => false],
    ['a read-only admin', false, ['admin_readonly'], (_entity, action) => action === 'read'],
    ['a holder of the entity', false, ['service'], (entity) => entity === 'service'],
    [
      'a holder of one action',
      false,
      ['service.update'],
      (entity, action) => entity === 'service' && action === 'update',
    ],
    ['a holder of a longer name', false, ['service-policy'], () => false],
  ];

  test.each(holders)('of %s', (_who, isAdmin, permissions, expected) => {
    for (const entity of entities) {
      for (const action of permissionActions) {
        expect([entity, action, allows(permissions, isAdmin, { entity, action })]).toEqual([
          entity,
          action,
          expected(entity, action),
        ]);
      }
    }
  });
});

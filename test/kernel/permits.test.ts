import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../../src/kernel/request/context.js';
import { may, permits } from '../../src/kernel/declare/permissions.js';

const ACTIONS = ['read', 'create', 'update', 'delete'] as const;

const NOBODY: Caller = {
  identityId: 'i',
  apiSessionId: 's',
  since: new Date(0),
  authenticatorId: 'a',
  isAdmin: false,
  permissions: [],
  configTypes: [],
  authQueries: [],
};

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
    const caller = { ...NOBODY, isAdmin, permissions };
    for (const entity of entities) {
      for (const action of ACTIONS) {
        expect([entity, action, permits(caller, may(entity, action))]).toEqual([
          entity,
          action,
          expected(entity, action),
        ]);
      }
    }
  });
});
